package dev.muster.simulation;

import dev.muster.scheduler.CommittedRow;

import org.jspecify.annotations.Nullable;

/** Those who are told by webhook. */
final class SimReceivers {

    SimReceivers(World world) {}

    void down(int receiver, long millis) {}

    void committed(CommittedRow row) {}

    @Nullable String unsettled() {
        return null;
    }
}
