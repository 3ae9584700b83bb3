package dev.muster.monitor;

import dev.muster.platform.config.Declarations;
import dev.muster.platform.config.Setting;

import java.util.List;

/** The monitor's keys and failpoints. */
public final class MonitorSettings implements Declarations {

    public static final Setting<String> POOL =
            Setting.text("monitor.pool", "public", "Pool whose jobs this monitor watches.");
    public static final Setting<Integer> PORT =
            Setting.integer(
                    "monitor.port", 0, 0, 65535, "Port of health and metrics; 0 for a free one.");
    public static final Setting<Integer> LEASE_MILLIS =
            Setting.integer(
                    "monitor.leaseMillis",
                    2500,
                    200,
                    60_000,
                    "Time after which another monitor may take a silent one's place.");
    public static final Setting<Integer> PROGRESS_WINDOW_MILLIS =
            Setting.integer(
                    "monitor.progressWindowMillis",
                    600_000,
                    100,
                    86_400_000,
                    "Time of progress after which a job's restarts in a row are forgotten.");
    public static final Setting<Integer> EXIT_PATIENCE_MILLIS =
            Setting.integer(
                    "monitor.exitPatienceMillis",
                    500,
                    0,
                    4000,
                    "How long the last signals of a command that has exited are awaited.");
    public static final Setting<Integer> SAMPLE_SECONDS =
            Setting.integer(
                    "monitor.sampleSeconds",
                    60,
                    1,
                    60,
                    "How often a job's sample of the minute is written.");
    public static final Setting<Integer> SAMPLE_KEEP_HOURS =
            Setting.integer(
                    "monitor.sampleKeepHours",
                    168,
                    1,
                    8760,
                    "Age at which the samples of a minute are deleted.");

    /** For {@link java.util.ServiceLoader}. */
    public MonitorSettings() {}

    @Override
    public List<Setting<?>> settings() {
        return List.of(
                POOL,
                PORT,
                LEASE_MILLIS,
                PROGRESS_WINDOW_MILLIS,
                EXIT_PATIENCE_MILLIS,
                SAMPLE_SECONDS,
                SAMPLE_KEEP_HOURS);
    }

    @Override
    public List<String> failpoints() {
        return List.of(
                "monitor.lease.taken",
                "monitor.hang.found",
                "monitor.exit.classified",
                "monitor.verdict.sent",
                "monitor.samples.stored");
    }
}
