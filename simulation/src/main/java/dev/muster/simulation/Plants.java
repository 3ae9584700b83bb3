package dev.muster.simulation;

import java.util.Locale;
import java.util.function.Supplier;

/** The bugs that can be planted, each to be found. */
enum Plants {
    NONE(Plant::new),
    CAPACITY_OFF_BY_ONE(PlantedReports.OneDeviceMore::new),
    RELEASED_BEFORE_GONE(PlantedReports.LeavesEarly::new),
    ORDER_BY_MAP_ITERATION(PlantedInputs.MapOrder::new),
    CLAIM_NOT_FREED_ON_REFUSAL(PlantedReports.KeepsClaimOfRefused::new),
    USAGE_DOUBLED_ON_RESTART(PlantedSnapshots.DoublesUsage::new),
    STALE_ATTEMPT_ACCEPTED(PlantedInputs.BelievesOldAttempts::new),
    LANE_NUMBER_REUSED(PlantedInputs.ReusesNumbers::new),
    SNAPSHOT_DROPS_A_GRANT(PlantedSnapshots.DropsGrant::new);

    private final Supplier<Plant> maker;

    Plants(Supplier<Plant> maker) {
        this.maker = maker;
    }

    /** A fresh one for each run: some remember what they saw. */
    Plant make() {
        return maker.get();
    }

    /** As it is written on a command line. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
