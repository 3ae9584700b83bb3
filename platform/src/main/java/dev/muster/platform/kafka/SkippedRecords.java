package dev.muster.platform.kafka;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the records that a reader passes over, and tells of some. On one thread at a time. */
public final class SkippedRecords {

    private static final Logger LOG = LoggerFactory.getLogger(SkippedRecords.class);

    private final MeterRegistry meters;
    private final String loop;
    private long skipped;

    /**
     * @param loop that reads them, a tag of the metric
     */
    public SkippedRecords(MeterRegistry meters, String loop) {
        this.meters = meters;
        this.loop = loop;
    }

    /**
     * @param why one word of few, a tag of the metric
     */
    public void skip(String why, String what) {
        Counter.builder("muster.records.skipped")
                .description("Records that cannot be read or believed, and were passed over")
                .tag("loop", loop)
                .tag("why", why)
                .register(meters)
                .increment();
        skipped++;
        // powers of two: a flood of them does not fill the log
        if (Long.bitCount(skipped) == 1) {
            LOG.warn("{} skips a record, {} by now, as {}: {}", loop, skipped, why, what);
        }
    }
}
