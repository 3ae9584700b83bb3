package dev.muster.gateway;

import dev.muster.domain.Event;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The types of events that users may be told of. */
final class EventTypes {

    /** Stands for all of them. */
    static final String ALL = "*";

    /** By their names: every event of a job. */
    static final Set<String> PUBLIC = names(Event.OfJob.class, new TreeSet<>());

    /** What most want to be told of. */
    static final List<String> BY_DEFAULT =
            List.of(
                    "JobStarted",
                    "JobHanged",
                    "JobRestarting",
                    "JobRestarted",
                    "JobPreempted",
                    "JobSucceeded",
                    "JobFailed",
                    "JobStopped");

    private EventTypes() {}

    private static Set<String> names(Class<?> type, Set<String> into) {
        Class<?> @Nullable [] permitted = type.getPermittedSubclasses();
        if (permitted == null) {
            into.add(type.getSimpleName());
        } else {
            for (Class<?> each : permitted) {
                names(each, into);
            }
        }
        return into;
    }
}
