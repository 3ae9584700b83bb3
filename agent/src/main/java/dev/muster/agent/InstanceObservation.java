package dev.muster.agent;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What is true of an instance now.
 *
 * @param processStarts in ascending order
 * @param supervisorPid of the machine, while it lives
 * @param prepared code and inputs are complete
 * @param synced the final sync is complete
 * @param failure why preparation, a start or the final sync cannot succeed; one sentence
 */
public record InstanceObservation(
        InstanceId id,
        InstancePhase phase,
        List<ProcessStart> processStarts,
        OptionalLong supervisorPid,
        boolean prepared,
        boolean synced,
        Optional<InstanceFailure> failure) {

    public InstanceObservation {
        processStarts = List.copyOf(processStarts);
    }

    public boolean gone() {
        return phase == InstancePhase.GONE;
    }

    public Optional<ProcessStart> processStart(int number) {
        return processStarts.stream().filter(start -> start.number() == number).findFirst();
    }

    /** Exit code of a process start that has ended. */
    public OptionalInt exitCode(int number) {
        return processStart(number).map(ProcessStart::exitCode).orElse(OptionalInt.empty());
    }
}
