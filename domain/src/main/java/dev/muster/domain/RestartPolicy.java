package dev.muster.domain;

/**
 * Which restarts a job asks for.
 *
 * @param autoRestart off: the first failure ends the job, and everything else here is off
 * @param maxRestarts 1 to 128: container and job restarts and unconditional ones count, hangs do
 *     not
 * @param unconditional restart on any abnormal exit, user errors included
 * @param onHang restart when the job hangs
 */
public record RestartPolicy(
        boolean autoRestart, int maxRestarts, boolean unconditional, boolean onHang) {

    public static final RestartPolicy OFF = new RestartPolicy(false, 0, false, false);

    private static final int MOST_RESTARTS = 128;

    public RestartPolicy {
        if (autoRestart
                ? maxRestarts < 1 || maxRestarts > MOST_RESTARTS
                : maxRestarts != 0 || unconditional || onHang) {
            throw new IllegalArgumentException(
                    "1 to 128 restarts with auto-restart, nothing at all without it");
        }
    }
}
