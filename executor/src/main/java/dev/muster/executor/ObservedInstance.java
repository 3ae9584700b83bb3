package dev.muster.executor;

import dev.muster.domain.InstanceRef;

/**
 * What the backend told of an instance, and how far it was ordered to go in this session.
 *
 * @param started highest process start that was executed, 0 for none
 * @param failed something other than the command failed
 */
record ObservedInstance(
        InstanceRef instance,
        InstanceOrder ordered,
        boolean prepared,
        int started,
        boolean failed,
        boolean gone) {

    /** One that exists, of which nothing is known yet. */
    static ObservedInstance existing(InstanceRef instance) {
        return new ObservedInstance(instance, InstanceOrder.NOTHING, false, 0, false, false);
    }

    ObservedInstance ordered(InstanceOrder order) {
        return new ObservedInstance(instance, order, prepared, started, failed, gone);
    }

    ObservedInstance after(InstanceChange change) {
        return switch (change) {
            case InstanceChange.Prepared _ ->
                    new ObservedInstance(instance, ordered, true, started, failed, gone);
            case InstanceChange.Started(InstanceRef _, int number) ->
                    new ObservedInstance(
                            instance, ordered, true, Math.max(started, number), failed, gone);
            case InstanceChange.Exited(InstanceRef _, int number, int _) ->
                    new ObservedInstance(
                            instance, ordered, true, Math.max(started, number), failed, gone);
            case InstanceChange.Failed _ ->
                    new ObservedInstance(instance, ordered, prepared, started, true, gone);
            case InstanceChange.Gone _ ->
                    new ObservedInstance(instance, ordered, prepared, started, failed, true);
            case InstanceChange.EvidenceKept _,
                    InstanceChange.Signalled _,
                    InstanceChange.Noticed _ ->
                    this;
        };
    }
}
