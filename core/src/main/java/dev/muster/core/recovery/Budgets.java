package dev.muster.core.recovery;

import dev.muster.core.recovery.Fault.Origin;
import dev.muster.domain.RestartPolicy;
import dev.muster.domain.Spent;
import dev.muster.domain.Tier;

/**
 * What a restart costs (S0, and D where S0 is silent): container and job restarts count against the
 * job's {@code maxRestarts}, unconditional ones at any tier; restarts after hangs do not, but are
 * bounded in a row, as unconditional ones are as well.
 */
final class Budgets {

    /** What became of a charge. */
    sealed interface Charge {

        /**
         * @param after what is spent with this restart
         */
        record Granted(Spent after) implements Charge {}

        /**
         * @param budget that is used up, with its value, in words
         */
        record Exhausted(String budget) implements Charge {}
    }

    private final RecoverySettings settings;

    Budgets(RecoverySettings settings) {
        this.settings = settings;
    }

    Charge charge(RestartPolicy policy, Spent spent, Origin origin, Tier tier) {
        boolean unconditional = origin == Origin.USER;
        boolean hang = origin == Origin.HANG;
        if (hang && spent.hangInRow() >= settings.hangInRow()) {
            return exhausted(settings.hangInRow(), "restarts after hangs in a row");
        }
        if (unconditional && spent.unconditionalInRow() >= settings.unconditionalInRow()) {
            return exhausted(settings.unconditionalInRow(), "unconditional restarts in a row");
        }
        boolean counts = unconditional || (!hang && tier != Tier.PROCESS);
        if (counts && spent.restarts() >= policy.maxRestarts()) {
            return exhausted(policy.maxRestarts(), "restarts (recovery.maxRestarts)");
        }
        return new Charge.Granted(
                new Spent(
                        spent.restarts() + (counts ? 1 : 0),
                        spent.unconditionalInRow() + (unconditional ? 1 : 0),
                        spent.hangInRow() + (hang ? 1 : 0)));
    }

    private static Charge exhausted(int most, String what) {
        return new Charge.Exhausted("all " + most + " " + what + " are used");
    }
}
