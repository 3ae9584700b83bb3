package dev.muster.platform.run;

import dev.muster.platform.config.Declarations;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Places at which a test kills the process: {@code MUSTER_CRASH_AT=name:n} halts it at the n-th
 * reach, as {@code kill -9} would. Names are declared in {@link Declarations#failpoints()}. Costs
 * nothing when off.
 */
public final class Failpoints {

    /** Exit status of a process that was killed. */
    private static final int KILLED = 137;

    private record Armed(String name, AtomicInteger left) {}

    private static final @Nullable Armed ARMED = parse(System.getenv("MUSTER_CRASH_AT"));

    private Failpoints() {}

    /** A durable or visible step was reached. */
    public static void reach(String name) {
        Armed armed = ARMED;
        if (armed != null && armed.name.equals(name) && armed.left.decrementAndGet() == 0) {
            // on the error stream itself: no appender may delay it
            System.err.println("muster: halted at " + name);
            Runtime.getRuntime().halt(KILLED);
        }
    }

    /** One sentence if {@code MUSTER_CRASH_AT} names nothing that is declared. */
    public static Optional<String> problem() {
        Armed armed = ARMED;
        if (armed == null || Declarations.allFailpoints().contains(armed.name)) {
            return Optional.empty();
        }
        return Optional.of("MUSTER_CRASH_AT names no failpoint: " + armed.name);
    }

    private static @Nullable Armed parse(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return null;
        }
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            return new Armed(text, new AtomicInteger(1));
        }
        try {
            int count = Integer.parseInt(text.substring(colon + 1));
            return new Armed(text.substring(0, colon), new AtomicInteger(count));
        } catch (NumberFormatException e) {
            return new Armed(text, new AtomicInteger(1));
        }
    }
}
