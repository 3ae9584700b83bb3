package dev.muster.core;

import dev.muster.core.recovery.RecoverySettings;

/**
 * Bounds of a pool's core. They shape decisions, so leader, follower and replay of one pool share
 * them.
 *
 * @param cycleEventBudget events after which a cycle stops handing out grants and reasons; the rest
 *     follows with the next tick ({@link PoolCore#moreToDo()})
 * @param liveSignatures fit indexes kept at a time, least recently used ones are dropped; never
 *     changes a decision
 */
public record CoreSettings(int cycleEventBudget, int liveSignatures, RecoverySettings recovery) {

    public static final CoreSettings DEFAULT =
            new CoreSettings(20_000, 64, RecoverySettings.DEFAULT);

    public CoreSettings {
        if (cycleEventBudget < 1 || liveSignatures < 1) {
            throw new IllegalArgumentException("the core's bounds are at least 1");
        }
    }
}
