package dev.muster.agent;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Listens to the log of one instance: how much it grows and when, what it says of the training, and
 * whether it says that something failed. Of the instance's own thread; what it heard is for all.
 *
 * <p>A log that grows faster than it can be read is read in part: its newest bytes, which say most.
 */
final class SignalWatch {

    static final long NEVER = Long.MAX_VALUE;

    /** Read at one look; what lies before is skipped. */
    private static final int MAX_BYTES = 256 * 1024;

    /** Read at any look, however long it takes. */
    private static final int NEWEST_LINES = 200;

    /** Of one look, as far as there are more lines. */
    private static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /**
     * Of the job's own patterns at one look, half of it for the newest lines: counted, not timed,
     * so that a busy machine loses no failure.
     */
    private static final long MAX_STEPS = 8_000_000;

    private final InstancePlan plan;
    private final Path log;
    private final SafeTree tree;
    private final FailurePatterns failures;
    private final LogLines lines = new LogLines();

    private int number;
    private long begin;
    private long offset;
    private long size;
    private long startedNanos;
    private long printedNanos;
    private long lookedNanos;
    private long step;
    private double loss;
    private String checkpoint = "";
    private String failure = "";
    private long stepsLeft;
    private boolean saidFailure;
    private boolean saidSilence;
    private boolean saidEnd;
    private volatile Heard heard = new Heard(Signals.NONE, 0);

    /** Signals as they were at a moment of this process's own clock, which nobody steps. */
    private record Heard(Signals signals, long atNanos) {

        Signals now() {
            if (!signals.running()) {
                return signals;
            }
            return signals.later(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - atNanos));
        }
    }

    SignalWatch(InstancePlan plan) {
        this.plan = plan;
        this.log = plan.directories().log(plan.id());
        this.tree = new SafeTree(plan.root());
        this.failures = new FailurePatterns(plan.watch().failurePatterns());
    }

    /** What was heard, as of now; process start 0 as long as nothing was started. */
    Signals signals() {
        return heard.now();
    }

    /**
     * Reads what is new.
     *
     * @param facts read before
     * @param tell is given what has to be known at once: a silence that grew too long or was
     *     broken, a failure, an end
     * @return milliseconds until a silence would be too long, {@link #NEVER} if none ever is
     */
    long look(InstanceFacts facts, Consumer<Signals> tell) throws IOException {
        StateFile.Recorded start = facts.current().orElse(null);
        if (start == null || start.starts == 0) {
            return NEVER;
        }
        if (start.number != number) {
            begin(start);
        }
        if (saidEnd) {
            return NEVER;
        }
        boolean ended = start.ended() && (start.cleared || facts.gone());
        SafeTree.Version file = version();
        read(file.size(), ended);
        long now = System.nanoTime();
        listen(file, now);
        long runMillis = TimeUnit.NANOSECONDS.toMillis(now - startedNanos);
        long silentMillis = TimeUnit.NANOSECONDS.toMillis(now - printedNanos);
        heard =
                new Heard(
                        new Signals(
                                number,
                                runMillis,
                                silentMillis,
                                file.size(),
                                step,
                                loss,
                                checkpoint,
                                failure,
                                !ended),
                        now);
        return say(runMillis, silentMillis, ended, tell);
    }

    /**
     * Notes when the log grew last. The file says how long ago by the machine's clock, which may
     * have been stepped: it is believed as far as it agrees with what is known.
     */
    private void listen(SafeTree.Version file, long now) {
        if (file.size() == size) {
            return;
        }
        size = file.size();
        long ageNanos = System.currentTimeMillis() * 1_000_000 - file.modifiedNanos();
        printedNanos = now - Math.clamp(ageNanos, 0, now - Math.max(lookedNanos, startedNanos));
        lookedNanos = now;
    }

    private long say(long runMillis, long silentMillis, boolean ended, Consumer<Signals> tell) {
        long threshold = TimeUnit.SECONDS.toMillis(plan.watch().silenceSeconds());
        long startup = TimeUnit.SECONDS.toMillis(plan.watch().startupSeconds());
        long left =
                threshold == 0 || ended
                        ? NEVER
                        : Math.max(threshold - silentMillis, startup - runMillis);
        boolean silent = left <= 0;
        boolean failed = !failure.isEmpty();
        if (silent != saidSilence || failed != saidFailure || ended) {
            saidSilence = silent;
            saidFailure = failed;
            saidEnd = ended;
            tell.accept(signals());
        }
        return silent ? NEVER : left;
    }

    private void begin(StateFile.Recorded start) throws IOException {
        number = start.number;
        begin = LaunchFile.logBegin(plan, number);
        offset = begin;
        size = begin;
        startedNanos = System.nanoTime() - start.ageNanos();
        printedNanos = startedNanos;
        lookedNanos = startedNanos;
        step = -1;
        loss = Double.NaN;
        checkpoint = "";
        failure = "";
        saidFailure = false;
        saidSilence = false;
        saidEnd = false;
        lines.skip();
    }

    private SafeTree.Version version() throws IOException {
        try {
            return tree.version(log);
        } catch (NoSuchFileException e) {
            return new SafeTree.Version(0, 0, "");
        }
    }

    private void read(long size, boolean ended) throws IOException {
        if (size < offset) {
            // the command cut its own log
            begin = 0;
            offset = 0;
            lines.skip();
        }
        if (size - offset > MAX_BYTES) {
            offset = size - MAX_BYTES;
            lines.skip();
        }
        List<String> found = new ArrayList<>();
        if (size > offset) {
            byte[] bytes = tree.read(log, offset, (int) (size - offset));
            offset += bytes.length;
            lines.add(bytes, found::add);
        }
        if (ended) {
            lines.end(found::add);
        }
        hear(found);
    }

    private void hear(List<String> found) {
        long deadline = System.nanoTime() + MAX_NANOS;
        int newest = Math.max(0, found.size() - NEWEST_LINES);
        stepsLeft = MAX_STEPS / 2;
        for (int n = 0; n < found.size(); n++) {
            if (n < newest && System.nanoTime() > deadline) {
                n = newest;
            }
            if (n == newest) {
                stepsLeft += MAX_STEPS / 2;
            }
            hear(found.get(n));
        }
    }

    private void hear(String line) {
        TrainingLine said = TrainingLine.parse(line);
        if (said.step().isPresent()) {
            step = said.step().getAsLong();
        }
        if (said.loss().isPresent()) {
            loss = said.loss().getAsDouble();
        }
        if (!said.checkpoint().isEmpty()) {
            checkpoint = said.checkpoint();
        }
        if (failure.isEmpty() && isFailure(line)) {
            failure = line.substring(0, Math.min(line.length(), Signals.FAILURE_CHARS));
        }
    }

    /** A line is looked at as far as there are steps left. */
    private boolean isFailure(String line) {
        if (failures.stepsPerChar() == 0) {
            return false;
        }
        long chars = Math.min(line.length(), stepsLeft / failures.stepsPerChar());
        stepsLeft -= chars * failures.stepsPerChar();
        return chars == line.length()
                ? failures.match(line)
                : chars > 0 && failures.match(line.substring(0, (int) chars));
    }
}
