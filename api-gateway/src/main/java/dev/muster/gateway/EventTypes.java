package dev.muster.gateway;

import dev.muster.domain.Event;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The types of events that users may be told of. */
final class EventTypes {

    /** Stands for all of them. */
    static final String ALL = "*";

    /** By their names: every event of a job. */
    static final Set<String> PUBLIC =
            Arrays.stream(Objects.requireNonNull(Event.OfJob.class.getPermittedSubclasses()))
                    .map(Class::getSimpleName)
                    .collect(Collectors.toCollection(TreeSet::new));

    /** What most want to be told of, as far as this version knows it. */
    static final List<String> BY_DEFAULT =
            List.of(
                            "JobStarted",
                            "JobHanged",
                            "JobRestarting",
                            "JobRestarted",
                            "JobPreempted",
                            "JobSucceeded",
                            "JobFailed",
                            "JobStopped")
                    .stream()
                    .filter(PUBLIC::contains)
                    .toList();

    private EventTypes() {}
}
