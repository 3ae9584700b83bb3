package dev.muster.agent;

import dev.muster.storage.ObjectLocation;
import dev.muster.storage.ObjectStores;

import java.util.List;
import java.util.function.Consumer;

/**
 * What all agents of one process share.
 *
 * @param isolation from {@link Isolation#probe}, once per process
 * @param failpoint is given the name of each durable step as it is reached, so that a test can end
 *     the process there
 * @param evidence folder that evidence of hung commands is carried to
 * @param answerMillis how long the supervisor may take to answer before it is held for dead
 * @param syncBudgetMillis how long the final sync repeats what fails
 */
public record AgentSettings(
        ObjectStores stores,
        Isolation isolation,
        Consumer<String> failpoint,
        ObjectLocation evidence,
        long answerMillis,
        long syncBudgetMillis) {

    /** Every name that the failpoint is given. */
    public static final List<String> FAILPOINTS =
            List.of(
                    "agent.planned",
                    "agent.fetched",
                    "agent.prepared",
                    "agent.launchable",
                    "agent.desired",
                    "agent.supervisor",
                    "agent.started",
                    "agent.exited",
                    "agent.cleared",
                    "agent.evidence",
                    "agent.kept",
                    "agent.carried",
                    "agent.synced",
                    "agent.failed",
                    "agent.gone",
                    "agent.killed",
                    "agent.removed");

    public static final ObjectLocation DEFAULT_EVIDENCE =
            ObjectLocation.parse("obs://muster/evidence");

    public static final long DEFAULT_ANSWER_MILLIS = 30_000;
    public static final long DEFAULT_SYNC_BUDGET_MILLIS = 600_000;

    public AgentSettings {
        if (answerMillis < 1 || syncBudgetMillis < 1) {
            throw new IllegalArgumentException("an answer and a sync take at least 1 ms");
        }
    }

    /** With default times and no failpoints. */
    public static AgentSettings of(ObjectStores stores, Isolation isolation) {
        return new AgentSettings(
                stores,
                isolation,
                name -> {},
                DEFAULT_EVIDENCE,
                DEFAULT_ANSWER_MILLIS,
                DEFAULT_SYNC_BUDGET_MILLIS);
    }
}
