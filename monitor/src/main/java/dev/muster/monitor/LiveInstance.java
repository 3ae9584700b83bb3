package dev.muster.monitor;

import dev.muster.platform.kafka.ProgressRecord.Signal;

import org.jspecify.annotations.Nullable;

/** One process start of an instance, as far as it is known. Of the term's thread. */
final class LiveInstance {

    private static final int NONE = -1;

    /** Its latest signal in the present process start. */
    private @Nullable Signal signal;

    private int exitCode = NONE;

    /** First log line that matched a failure pattern, empty for none. */
    private String failure = "";

    /** A new process start: nothing is known of it. */
    void begin() {
        signal = null;
        exitCode = NONE;
        failure = "";
    }

    void saw(Signal latest) {
        signal = latest;
        if (failure.isEmpty()) {
            failure = latest.failure();
        }
    }

    void exited(int code) {
        exitCode = code;
    }

    @Nullable Signal signal() {
        return signal;
    }

    boolean runs() {
        return exitCode == NONE;
    }

    /** −1 while it runs. */
    int exitCode() {
        return exitCode;
    }

    String failure() {
        return failure;
    }
}
