package dev.muster.scheduler;

import dev.muster.domain.PoolId;
import dev.muster.platform.journal.JournalReader;
import dev.muster.platform.kafka.KafkaUnavailable;
import dev.muster.platform.run.ServiceContext;
import dev.muster.platform.sql.StatementFailed;

import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.TimeUnit;

/**
 * Whether PostgreSQL knows all that Kafka tells of a pool. Where PostgreSQL alone was restored,
 * from a backup older than Kafka's records, producers give numbers again that those records have:
 * what they send would be taken for repeats, and accepted work would be lost. So nothing of Kafka
 * is taken before this is known.
 */
final class RestoreCheck {

    private static final Logger LOG = LoggerFactory.getLogger(RestoreCheck.class);
    private static final long AGAIN_MILLIS = 1000;

    private final ServiceContext service;
    private final PoolId pool;
    private final TopicPartition events;
    private @Nullable Thread thread;
    private volatile boolean settled;
    private volatile boolean stopping;
    private volatile @Nullable String refusal;

    RestoreCheck(ServiceContext service, PoolId pool, int partition) {
        this.service = service;
        this.pool = pool;
        this.events = new TopicPartition(service.kafka().topics().events(), partition);
    }

    synchronized void start() {
        Thread started =
                Thread.ofPlatform().name("scheduler-restore-" + pool).daemon().unstarted(this::run);
        thread = started;
        started.start();
    }

    /** Looks once more: what was loaded before is dropped, and may have been replaced. */
    synchronized void again() {
        if (settled && !stopping) {
            settled = false;
            start();
        }
    }

    synchronized void stop() {
        stopping = true;
        if (thread != null) {
            thread.interrupt();
        }
    }

    /**
     * Whether records of Kafka may be taken; false while that is not known.
     *
     * @throws UnreadableJournal where PostgreSQL is older than Kafka
     */
    boolean permits() {
        String why = refusal;
        if (why != null) {
            throw new UnreadableJournal(why, null);
        }
        return settled;
    }

    private void run() {
        try {
            while (!stopping && !settled) {
                look();
                if (!settled) {
                    TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("pool {}: the look at Kafka's end was interrupted", pool, e);
        }
    }

    private void look() throws InterruptedException {
        try {
            // Kafka first: an event is committed before it is published
            PublishedTail tail = PublishedTail.read(service.kafka(), events, pool);
            JournalReader journal = new JournalReader(service.vertx(), service.database(), pool);
            long head = Awaited.get(journal.headSeq());
            refusal = tail.goesBeyond(head) ? words(tail.seqs().last(), head) : null;
            settled = refusal == null;
        } catch (KafkaUnavailable | StatementFailed e) {
            LOG.debug("pool {}: Kafka's end is not known yet", pool, e);
        } catch (RuntimeException e) {
            LOG.warn("pool {}: Kafka's end cannot be compared with the journal's", pool, e);
        }
    }

    private String words(long published, long head) {
        String prefix = service.kafka().topics().prefix();
        return "PostgreSQL is older than Kafka: events were published up to "
                + published
                + ", and the journal ends with "
                + head
                + ". PostgreSQL was restored without Kafka: give every service another kafka.prefix"
                + " than "
                + prefix
                + ", or delete the topics "
                + prefix
                + ".*; the tables fill the new ones";
    }
}
