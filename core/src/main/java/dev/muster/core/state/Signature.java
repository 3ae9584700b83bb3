package dev.muster.core.state;

import dev.muster.domain.Ask;
import dev.muster.domain.Resources;

/**
 * What decides on which nodes an instance fits.
 *
 * @param model of the devices, empty for any
 * @param thousandths of a device; from 1000 on whole devices, rounded up
 */
public record Signature(String model, int cpuMillis, int memoryMebibytes, int thousandths) {

    private static final int WHOLE = 1000;

    public static Signature of(Ask ask) {
        Resources amount = ask.perInstance();
        String model = amount.acceleratorThousandths() == 0 ? "" : ask.accelerator();
        return new Signature(
                model,
                amount.cpuMillis(),
                amount.memoryMebibytes(),
                amount.acceleratorThousandths());
    }

    public boolean asksDevices() {
        return thousandths > 0;
    }

    /** Whether it shares one device with others. */
    public boolean fractional() {
        return thousandths > 0 && thousandths < WHOLE;
    }

    /** Devices touched by one instance. */
    public int devices() {
        return (int) ((thousandths + WHOLE - 1L) / WHOLE);
    }
}
