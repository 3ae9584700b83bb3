package dev.muster.domain;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * What the core knows of a live job's incidents and restarts.
 *
 * @param incidents number of the latest one, 0 before the first
 * @param open the latest one while it is not closed
 * @param reached the tier of the latest restart since the last reset: the next one is above it
 * @param recorded scenarios of this process start that were recorded without consequence
 */
public record RecoveryState(
        int incidents,
        @Nullable OpenIncident open,
        Spent spent,
        @Nullable Tier reached,
        List<Scenario> recorded) {

    public static final RecoveryState NONE =
            new RecoveryState(0, null, Spent.NONE, null, List.of());

    public RecoveryState {
        recorded = List.copyOf(recorded);
    }

    /**
     * An incident that is not closed.
     *
     * @param tier that is being tried, null before the first
     * @param message of the fault, in words
     * @param verdictByMillis when an exit is judged by its code alone, 0 if no verdict is awaited
     */
    public record OpenIncident(
            Scenario scenario, @Nullable Tier tier, String message, long verdictByMillis) {

        /** Whether the monitor's word on an exit is awaited. */
        public boolean awaitsVerdict() {
            return verdictByMillis != 0;
        }
    }

    /** The tier that is being tried, null if none is. */
    public @Nullable Tier tier() {
        return open == null ? null : open.tier();
    }

    public RecoveryState withOpen(@Nullable OpenIncident incident) {
        return new RecoveryState(incidents, incident, spent, reached, recorded);
    }
}
