package dev.muster.bench;

import java.util.List;

/** How many jobs a second go all the way to their end, while as many are offered as it takes. */
final class PeakRate {

    /** Long enough for code to be compiled. */
    private static final int WARMUP_SECONDS = 20;

    private static final int SECONDS = 10;

    private PeakRate() {}

    static long measure(int port, String token) {
        Progress.say("closed loop, " + SECONDS + " s");
        LoadResult closed =
                GeneratorProcess.run(
                        port,
                        token,
                        List.of(
                                "--connections",
                                "128",
                                "--warmup",
                                Integer.toString(WARMUP_SECONDS),
                                "--seconds",
                                Integer.toString(SECONDS),
                                "--max-open",
                                "2000",
                                "--events"));
        long perSecond = Math.round(closed.ended() / closed.endedSeconds());
        Progress.say("peak: " + perSecond + " jobs/s to their end");
        return perSecond;
    }
}
