package dev.muster.domain;

/** What a job may ask for when it breaks or hangs (S0, S4). */
final class RecoveryRules {

    private RecoveryRules() {}

    static void check(JobSpec.Recovery recovery, Findings findings) {
        if (recovery.autoRestart()) {
            findings.within(
                    "recovery.maxRestarts",
                    recovery.maxRestarts(),
                    1,
                    findings.limit(Limit.RESTARTS));
        } else {
            int given = recovery.maxRestarts();
            onlyWithAutoRestart(
                    "recovery.maxRestarts",
                    given != JobSpec.Recovery.MAX_RESTARTS,
                    given,
                    findings);
            onlyWithAutoRestart(
                    "recovery.unconditionalRestart",
                    recovery.unconditionalRestart(),
                    true,
                    findings);
            onlyWithAutoRestart("recovery.hangRestart", recovery.hangRestart(), true, findings);
        }
        findings.within(
                "recovery.hangSilenceSeconds",
                recovery.hangSilenceSeconds(),
                0,
                findings.limit(Limit.HANG_SILENCE_SECONDS));
        findings.within(
                "recovery.startupSeconds",
                recovery.startupSeconds(),
                0,
                findings.limit(Limit.STARTUP_SECONDS));
        patterns(recovery, findings);
    }

    private static void onlyWithAutoRestart(
            String path, boolean given, Object value, Findings findings) {
        if (given) {
            findings.add(path, value, "is given, but autoRestart is off", "autoRestart: true");
        }
    }

    private static void patterns(JobSpec.Recovery recovery, Findings findings) {
        String list = "recovery.failurePatterns";
        findings.countAtMost(list, recovery.failurePatterns().size(), Limit.FAILURE_PATTERNS);
        for (int i = 0; i < recovery.failurePatterns().size(); i++) {
            String pattern = recovery.failurePatterns().get(i);
            String path = list + '[' + i + ']';
            if (pattern.isBlank()) {
                findings.add(path, pattern, "is blank", "a pattern in RE2 syntax");
            }
            findings.atMost(path, pattern, Limit.FAILURE_PATTERN_LENGTH);
        }
    }
}
