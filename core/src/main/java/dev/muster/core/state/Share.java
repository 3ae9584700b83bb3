package dev.muster.core.state;

import dev.muster.domain.Ask;
import dev.muster.domain.Placement;
import dev.muster.domain.Resources;

import java.util.List;

/**
 * What one instance takes of its node.
 *
 * @param devices indexes, each with {@code thousandthsOfEach} taken
 */
record Share(int cpuMillis, int memoryMebibytes, List<Integer> devices, int thousandthsOfEach) {

    static Share of(Ask ask, Placement placement) {
        Resources amount = ask.perInstance();
        return new Share(
                amount.cpuMillis(),
                amount.memoryMebibytes(),
                placement.devices(),
                Math.min(amount.acceleratorThousandths(), DeviceTable.WHOLE));
    }
}
