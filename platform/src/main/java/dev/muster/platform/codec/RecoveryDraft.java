package dev.muster.platform.codec;

import dev.muster.domain.JobSpec;
import dev.muster.platform.codec.SpecReader.Members;

import java.util.ArrayList;
import java.util.List;

/** The recovery block of a specification while it is being read. */
final class RecoveryDraft {

    private static final String BLOCK = "recovery";

    static final Members<RecoveryDraft> MEMBERS =
            new JobDraft.Table<RecoveryDraft>(BLOCK)
                    .with("autoRestart", (r, n, d) -> d.autoRestart = r.truth(n, false))
                    .with("maxRestarts", (r, n, d) -> d.maxRestarts(r.integer(n, d.maxRestarts)))
                    .with("unconditionalRestart", (r, n, d) -> d.unconditional = r.truth(n, false))
                    .with("hangRestart", (r, n, d) -> d.hangRestart = r.truth(n, false))
                    .with("hangSilenceSeconds", (r, n, d) -> d.silence = r.integer(n, 0))
                    .with("startupSeconds", (r, n, d) -> d.startup = r.integer(n, d.startup))
                    .with("failurePatterns", (r, n, d) -> r.texts(n, d.patterns::add))
                    .members();

    private boolean autoRestart;
    private boolean maxRestartsGiven;
    private int maxRestarts = JobSpec.Recovery.MAX_RESTARTS;
    private boolean unconditional;
    private boolean hangRestart;
    private int silence;
    private int startup = JobSpec.Recovery.STARTUP_SECONDS;
    private final List<String> patterns = new ArrayList<>();

    private void maxRestarts(int given) {
        maxRestartsGiven = true;
        maxRestarts = given;
    }

    /** Tells what only reading can: that a default was given, and that a pattern is none. */
    void check(SpecReader reader) {
        if (maxRestartsGiven && !autoRestart) {
            reader.found(
                    BLOCK + ".maxRestarts",
                    maxRestarts,
                    "is given, but autoRestart is off",
                    "autoRestart: true");
        }
        new PatternCheck(BLOCK + ".failurePatterns").check(patterns, reader);
    }

    JobSpec.Recovery toRecovery() {
        return new JobSpec.Recovery(
                autoRestart, maxRestarts, unconditional, hangRestart, silence, startup, patterns);
    }
}
