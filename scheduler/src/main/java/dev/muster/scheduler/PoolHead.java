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
        long outageFromMillis) {

    /**
     * To be asked by who took this head and then read all rows.
     *
     * @param rowsEnd seq of the last event in the journal
     * @throws Fenced if others have led since: this process was held up so long that its epoch was
     *     over before it began
     * @throws UnreadableJournal if rows are missing
     */
    void requireRowsUpTo(long rowsEnd) {
        if (rowsEnd > seq) {
            throw new Fenced(
                    "the journal went on to seq "
                            + rowsEnd
                            + " after epoch "
                            + epoch
                            + " was taken at seq "
                            + seq
                            + ": others have led since");
        }
        if (rowsEnd < seq) {
            throw new UnreadableJournal(
                    "its head is at seq " + seq + " and its rows end at seq " + rowsEnd, null);
        }
    }
}
