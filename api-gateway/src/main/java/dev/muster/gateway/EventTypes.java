package dev.muster.gateway;

import dev.muster.domain.Event;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The types of events that users may be told of. */
final class EventTypes {

    /** Stands for all of them. */
    static final String ALL = "*";

    /** By their names: every event of a job. */
    static final Set<String> PUBLIC =
            concrete(Event.OfJob.class)
                    .map(Class::getSimpleName)
                    .collect(Collectors.toCollection(TreeSet::new));

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

    private static Stream<Class<?>> concrete(Class<?> type) {
        Class<?> @Nullable [] permitted = type.getPermittedSubclasses();
        return permitted == null
                ? Stream.of(type)
                : Arrays.stream(permitted).flatMap(EventTypes::concrete);
    }
}
