package dev.muster.scheduler;

import java.util.Map;

/**
 * The row that fences.
 *
 * @param seq of the last event
 * @param atMillis time of the last row, by the leaders' clocks
 * @param positions lane → n that the journal has taken
 * @param offsets topic → offset to read next: a hint only
 * @param holder who took the epoch
 * @param outageFromMillis last sign of life of the epoch before, by its holder's clock
 */
record PoolHead(
        long epoch,
        long seq,
        long atMillis,
        Map<String, Long> positions,
        Map<String, Long> offsets,
        String holder,
        long outageFromMillis) {}
