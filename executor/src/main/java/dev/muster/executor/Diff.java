package dev.muster.executor;

import dev.muster.domain.InstanceRef;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Compares one job's desired with its observed instances. Pure; acts on nothing that is unknown.
 */
final class Diff {

    private Diff() {}

    /**
     * @param desired null if the job has no live grant
     * @param observed every instance of the job that exists, of any attempt
     * @return in order of index; empty when all is as it should be
     */
    static List<Action> of(@Nullable DesiredJob desired, Collection<ObservedInstance> observed) {
        List<Action> actions = new ArrayList<>();
        if (desired != null) {
            Map<Integer, ObservedInstance> newest = newest(desired.attempt(), observed);
            for (DesiredInstance each : desired.instances()) {
                Action action = of(desired, each, newest.get(each.instance().index()));
                if (action != null) {
                    actions.add(action);
                }
            }
        }
        int live = desired == null ? 0 : desired.attempt();
        TreeSet<Integer> ended = new TreeSet<>();
        for (ObservedInstance each : observed) {
            if (each.instance().attempt() != live && ended.add(each.instance().attempt())) {
                actions.add(new Action.Release(each.instance().job(), each.instance().attempt()));
            }
        }
        return actions;
    }

    private static Map<Integer, ObservedInstance> newest(
            int attempt, Collection<ObservedInstance> observed) {
        Map<Integer, ObservedInstance> newest = new HashMap<>();
        for (ObservedInstance each : observed) {
            if (each.instance().attempt() == attempt) {
                newest.merge(each.instance().index(), each, Diff::later);
            }
        }
        return newest;
    }

    private static ObservedInstance later(ObservedInstance a, ObservedInstance b) {
        return a.instance().incarnation() >= b.instance().incarnation() ? a : b;
    }

    private static @Nullable Action of(
            DesiredJob job, DesiredInstance desired, @Nullable ObservedInstance observed) {
        InstanceRef instance = desired.instance();
        if (desired.gone()) {
            return null;
        }
        InstanceOrder order = job.order(instance);
        boolean ending = order.ends();
        if (observed == null) {
            // made once and lost, or never made and not wanted any more
            return desired.prepared() || ending
                    ? new Action.DeclareGone(instance, desired.prepared() && ending)
                    : new Action.Make(instance, order);
        }
        int older = instance.incarnation() - observed.instance().incarnation();
        if (older > 0 && observed.gone()) {
            // its successor takes the name over now that nothing is left of it
            return desired.prepared() || ending
                    ? new Action.DeclareGone(instance, desired.prepared() && ending)
                    : new Action.Make(instance, order);
        }
        if (older < 0 || observed.gone()) {
            return null;
        }
        // an older one carries its outputs out first; a failed one cannot be carried to a good end
        InstanceOrder own = job.order(observed.instance());
        return raise(observed, own.ends() && observed.failed() ? InstanceOrder.KILL : own);
    }

    private static @Nullable Action raise(ObservedInstance observed, InstanceOrder order) {
        return order.exceeds(observed.ordered())
                ? new Action.Raise(observed.instance(), order)
                : null;
    }
}
