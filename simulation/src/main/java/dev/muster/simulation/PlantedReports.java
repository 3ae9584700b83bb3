package dev.muster.simulation;

import dev.muster.domain.FailureCause;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.Message;
import dev.muster.domain.NodeShape;
import dev.muster.domain.Report;
import dev.muster.executor.InstanceChange;

import java.util.HashSet;
import java.util.Set;

/** Bugs of an executor and its backend. */
final class PlantedReports {

    private PlantedReports() {}

    /** Counts the devices of a node from 0 to its number, both included. */
    static final class OneDeviceMore extends Plant {
        @Override
        Message reported(Message message) {
            if (!(message instanceof Report.NodeObserved seen)) {
                return message;
            }
            NodeShape shape = seen.shape();
            return new Report.NodeObserved(
                    seen.shardEpoch(),
                    seen.node(),
                    new NodeShape(
                            shape.cpuMillis(),
                            shape.memoryMebibytes(),
                            shape.accelerator(),
                            shape.devices() + 1,
                            shape.supernode()),
                    seen.ready());
        }
    }

    /** Tells an instance gone when it was told to go. */
    static final class LeavesEarly extends Plant {
        @Override
        boolean leavesEarly() {
            return true;
        }
    }

    /** Forgets an instance that could not be prepared: nobody hears that it is gone. */
    static final class KeepsClaimOfRefused extends Plant {
        private final Set<InstanceRef> refused = new HashSet<>();

        @Override
        boolean swallows(InstanceChange change) {
            if (change instanceof InstanceChange.Failed failed
                    && failed.cause() == FailureCause.PREPARATION) {
                refused.add(change.instance());
            }
            return change instanceof InstanceChange.Gone && refused.contains(change.instance());
        }
    }
}
