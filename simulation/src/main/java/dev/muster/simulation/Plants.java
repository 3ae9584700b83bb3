package dev.muster.simulation;

import java.util.Locale;

/** The bugs that can be planted, each to be found. */
enum Plants {
    NONE,
    CAPACITY_OFF_BY_ONE,
    RELEASED_BEFORE_GONE,
    ORDER_BY_MAP_ITERATION,
    CLAIM_NOT_FREED_ON_REFUSAL,
    USAGE_DOUBLED_ON_RESTART,
    STALE_ATTEMPT_ACCEPTED,
    LANE_NUMBER_REUSED,
    SNAPSHOT_DROPS_A_GRANT;

    /** A fresh one for each run: some remember what they saw. */
    Plant make() {
        return switch (this) {
            case NONE -> new Plant();
            case CAPACITY_OFF_BY_ONE -> new PlantedReports.OneDeviceMore();
            case RELEASED_BEFORE_GONE -> new PlantedReports.LeavesEarly();
            case ORDER_BY_MAP_ITERATION -> new PlantedInputs.MapOrder();
            case CLAIM_NOT_FREED_ON_REFUSAL -> new PlantedReports.KeepsClaimOfRefused();
            case USAGE_DOUBLED_ON_RESTART -> new PlantedSnapshots.DoublesUsage();
            case STALE_ATTEMPT_ACCEPTED -> new PlantedInputs.BelievesOldAttempts();
            case LANE_NUMBER_REUSED -> new PlantedInputs.ReusesNumbers();
            case SNAPSHOT_DROPS_A_GRANT -> new PlantedSnapshots.DropsGrant();
        };
    }

    /** As it is written on a command line. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
