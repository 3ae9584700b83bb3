package dev.muster.scheduler;

/**
 * What one append writes: inputs and events of one decision, encoded once.
 *
 * @param positions lane → n after it, as JSON
 * @param offsets topic → next offset after it, as JSON
 * @param body of the journal row
 * @param row what those behind the journal get once it is committed
 */
record Batch(String positions, String offsets, byte[] body, CommittedRow row) {

    long previousSeq() {
        return row.firstSeq() - 1;
    }
}
