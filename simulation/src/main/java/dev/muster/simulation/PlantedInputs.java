package dev.muster.simulation;

import dev.muster.core.PoolCore;
import dev.muster.domain.Input;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.Message;
import dev.muster.domain.Report;
import dev.muster.scheduler.Positions;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Bugs on the way from a producer to a decision. */
final class PlantedInputs {

    private PlantedInputs() {}

    /** Decides what was delivered in the order of a hash map, and journals it as it came. */
    static final class MapOrder extends Plant {
        @Override
        List<Input> ordered(List<Input> journalled) {
            List<Input> ordered = new ArrayList<>();
            Map<String, Input> delivered = new HashMap<>();
            for (Input each : journalled) {
                if (each instanceof Input.Delivered d) {
                    delivered.put(d.lane() + "/" + d.n(), each);
                } else {
                    ordered.add(each);
                }
            }
            ordered.addAll(ordered.size() - 1, delivered.values());
            return ordered;
        }
    }

    /** Takes a report that comes late, or once more, for one of the attempt that lives now. */
    static final class BelievesOldAttempts extends Plant {
        @Override
        @Nullable Message taken(PoolCore core, Positions.Verdict verdict, Message message) {
            if (message instanceof Report report) {
                InstanceRef told = instance(report);
                JobSnapshot job = told == null ? null : core.job(told.job());
                if (told != null && job != null && job.attempt() > told.attempt()) {
                    InstanceRef live =
                            new InstanceRef(
                                    told.job(), job.attempt(), told.index(), told.incarnation());
                    return of(core.shardEpoch(), live, report);
                }
            }
            return super.taken(core, verdict, message);
        }

        private static @Nullable InstanceRef instance(Report report) {
            return switch (report) {
                case Report.InstancePrepared r -> r.instance();
                case Report.InstanceStarted r -> r.instance();
                case Report.InstanceExited r -> r.instance();
                case Report.InstanceGone r -> r.instance();
                case Report other -> null;
            };
        }

        private static Report of(long epoch, InstanceRef live, Report report) {
            return switch (report) {
                case Report.InstancePrepared _ -> new Report.InstancePrepared(epoch, live);
                case Report.InstanceStarted r ->
                        new Report.InstanceStarted(epoch, live, r.processStart());
                case Report.InstanceExited r ->
                        new Report.InstanceExited(epoch, live, r.processStart(), r.exitCode());
                case Report.InstanceGone _ -> new Report.InstanceGone(epoch, live);
                case Report other -> other;
            };
        }
    }

    /** Takes a lost answer for a failure, and numbers on from what it remembers. */
    static final class ReusesNumbers extends Plant {
        @Override
        boolean assumesNothingWritten() {
            return true;
        }

        @Override
        LaneTable.Places numbered(LaneTable.Places places, long headN) {
            Map<String, Long> numbers = new TreeMap<>();
            long n = headN;
            List<Map.Entry<String, Long>> inOrder = new ArrayList<>(places.given().entrySet());
            inOrder.sort(Map.Entry.comparingByValue());
            for (Map.Entry<String, Long> each : inOrder) {
                numbers.put(each.getKey(), ++n);
            }
            return new LaneTable.Places(numbers);
        }
    }
}
