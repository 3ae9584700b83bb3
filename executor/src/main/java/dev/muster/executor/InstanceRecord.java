package dev.muster.executor;

import dev.muster.domain.InstanceRef;

import java.util.List;

/**
 * What the machine itself shows of one instance: the other side of what the journal says.
 *
 * @param ended whether the end of its attempt was seen
 * @param processStarts in ascending order
 * @param living processes of it that live, as the machine numbers them
 */
public record InstanceRecord(
        InstanceRef instance, boolean ended, List<Start> processStarts, List<Long> living) {

    /**
     * One process start.
     *
     * @param number from 1
     * @param starts how often the command was started under this number: anything but 0 and 1 is a
     *     fault
     */
    public record Start(int number, int starts) {}

    public InstanceRecord {
        processStarts = List.copyOf(processStarts);
        living = List.copyOf(living);
    }
}
