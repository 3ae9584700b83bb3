package dev.muster.scheduler;

import dev.muster.domain.PoolId;
import dev.muster.platform.codec.Malformed;
import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.kafka.KafkaAccess;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The seqs of a pool's newest published events. More than one is looked at, since the last record
 * of a topic may be one that nobody can believe.
 */
record PublishedTail(NavigableSet<Long> seqs) {

    private static final int RECORDS = 64;

    /** Asks Kafka; blocks. */
    static PublishedTail read(KafkaAccess kafka, TopicPartition events, PoolId pool) {
        NavigableSet<Long> seqs = new TreeSet<>();
        for (ConsumerRecord<String, byte[]> each : kafka.newest(events, RECORDS)) {
            try {
                EventRecord event = EventRecord.read(each);
                if (event.pool().equals(pool)) {
                    seqs.add(event.seq());
                }
            } catch (Malformed _) {
                // readers count it
            }
        }
        return new PublishedTail(seqs);
    }

    /** The last that the journal holds, 0 for none. */
    long lastUpTo(long headSeq) {
        Long last = seqs.floor(headSeq);
        return last == null ? 0 : last;
    }

    /**
     * Whether a run of events goes beyond the journal's end. A single number far beyond it is no
     * history but a damaged record.
     */
    boolean goesBeyond(long headSeq) {
        for (long seq : seqs.tailSet(headSeq, false)) {
            if (seq == headSeq + 1 || seqs.contains(seq - 1)) {
                return true;
            }
        }
        return false;
    }
}
