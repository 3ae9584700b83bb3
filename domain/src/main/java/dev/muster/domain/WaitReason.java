package dev.muster.domain;

/**
 * Why a job waits: the constraint, its scope and the amount short (S23).
 *
 * @param constraint what is short, in words a user knows: {@code accelerators of Ascend910 on one
 *     node}
 * @param scope where: a pool, a queue or a node
 * @param needed in the constraint's unit
 * @param available the most that is there, in the same unit
 */
public record WaitReason(Code code, String constraint, String scope, long needed, long available) {

    /** What kind of reason it is. */
    public enum Code {
        /** The next cycle will try it. */
        AWAITS_CYCLE,
        /** No state of the pool could hold it: parked until the pool's shape changes (S02). */
        NEVER_FITS,
        /** It would fit into the pool, but not into what is free now. */
        INSUFFICIENT
    }

    public static final WaitReason AWAITS_CYCLE = new WaitReason(Code.AWAITS_CYCLE, "", "", 0, 0);

    /** One sentence for people. */
    public String sentence() {
        return switch (code) {
            case AWAITS_CYCLE -> "waits for the next scheduling cycle";
            case NEVER_FITS ->
                    "never fits: needs "
                            + needed
                            + " "
                            + constraint
                            + " in "
                            + scope
                            + ", which has at most "
                            + available;
            case INSUFFICIENT ->
                    "needs "
                            + needed
                            + " "
                            + constraint
                            + " in "
                            + scope
                            + ", of which "
                            + available
                            + " are free";
        };
    }
}
