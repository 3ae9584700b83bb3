package dev.muster.scheduler;

import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.kafka.KafkaUnavailable;
import dev.muster.platform.kafka.RecordProducer;
import dev.muster.platform.sql.StatementFailed;

import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Publishes the journal's events in order of seq while this process leads. It goes on after the
 * last seq of the topic, so what an older leader committed and did not publish is published by the
 * next one; what is published twice has the same seq and is dropped by its readers. An outage of
 * Kafka holds up nothing but this.
 */
final class EventPublisher {

    private static final Logger LOG = LoggerFactory.getLogger(EventPublisher.class);
    private static final long WAIT_MILLIS = 500;
    private static final long MAX_BACKOFF_MILLIS = 2000;
    private static final Duration DRAIN = Duration.ofSeconds(5);

    private final PoolContext context;
    private final long headSeq;
    private final RowFeed feed;
    private final Thread thread;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean started;
    private volatile boolean stopping;
    private volatile boolean abandoned;
    private volatile @Nullable Exception failure;
    private volatile String problem = "";

    /** All up to it are acknowledged; −1 until the topic's end is known. */
    private volatile long acknowledgedSeq = -1;

    private long sentSeq;

    /**
     * @param headSeq of the journal when the term began
     */
    EventPublisher(PoolContext context, long headSeq) {
        this.context = context;
        this.headSeq = headSeq;
        this.feed =
                new RowFeed(
                        context.journal()::committedAfter,
                        context.setting(SchedulerSettings.FEED_BYTES),
                        headSeq);
        this.thread = context.thread("publisher", this::run);
    }

    /**
     * A row that the decision loop has committed. With the first one it begins: what it needs time
     * for does not hold up the first decision.
     */
    void offer(CommittedRow row) {
        feed.offer(row);
        if (!started) {
            started = true;
            thread.start();
        }
    }

    /** One sentence, empty when all is well. */
    String problem() {
        return problem;
    }

    /**
     * Ends.
     *
     * @param drain whether to publish first what is committed, and wait for that, some seconds at
     *     most; otherwise the next publisher goes on where the topic ends
     */
    void stop(boolean drain) throws InterruptedException {
        abandoned = !drain;
        stopping = true;
        feed.wake();
        if (!started) {
            return;
        }
        if (!drain) {
            thread.interrupt();
        } else if (!stopped.await(2 * DRAIN.toSeconds(), TimeUnit.SECONDS)) {
            thread.interrupt();
        }
    }

    private void run() {
        long backoff = 50;
        try {
            while (!stopping) {
                long before = acknowledgedSeq;
                publishUntilTrouble();
                backoff = acknowledgedSeq > before ? 50 : Math.min(MAX_BACKOFF_MILLIS, backoff * 2);
                if (!stopping) {
                    TimeUnit.MILLISECONDS.sleep(backoff);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("the publisher was interrupted", e);
        } finally {
            stopped.countDown();
        }
    }

    private void publishUntilTrouble() throws InterruptedException {
        failure = null;
        KafkaProducer<String, byte[]> producer = null;
        try {
            if (acknowledgedSeq < 0) {
                acknowledgedSeq = publishedBefore();
            }
            sentSeq = acknowledgedSeq;
            feed.seek(acknowledgedSeq);
            producer = producer();
            publish(producer);
        } catch (KafkaException | KafkaUnavailable e) {
            trouble("Kafka takes no events: " + e.getMessage());
            restoreTopics();
        } catch (StatementFailed e) {
            trouble("the publisher cannot read the journal: " + e.getMessage());
        } catch (RuntimeException e) {
            if (!abandoned) {
                LOG.error("pool {}: the publisher cannot go on", context.pool(), e);
            }
            trouble("the publisher cannot go on: " + e.getMessage());
        } finally {
            if (producer != null) {
                close(producer);
            }
        }
    }

    /** At once: what is in flight is sent again by the next one. */
    private static void close(KafkaProducer<String, byte[]> producer) {
        boolean interrupted = Thread.interrupted();
        try {
            producer.close(Duration.ZERO);
        } catch (InterruptException e) {
            LOG.debug("interrupted while a producer was closed", e);
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void trouble(String what) {
        if (abandoned) {
            return;
        }
        context.metrics().publishFailures.increment();
        if (!what.equals(problem)) {
            LOG.warn("pool {}: {}", context.pool(), what);
        }
        problem = what;
    }

    /** A topic that somebody deleted is made anew; readers find what it held in the journal. */
    private void restoreTopics() {
        if (stopping) {
            return;
        }
        try {
            context.service().kafka().createTopics();
        } catch (RuntimeException e) {
            LOG.debug("topics cannot be looked at", e);
        }
    }

    /** The last seq in the topic, but not further back than a refill may go. */
    private long publishedBefore() {
        PublishedTail tail =
                PublishedTail.read(context.service().kafka(), context.events(), context.pool());
        long last = tail.lastUpTo(headSeq);
        return Math.max(last, headSeq - context.setting(SchedulerSettings.REFILL_EVENTS));
    }

    private KafkaProducer<String, byte[]> producer() {
        Map<String, Object> config = context.service().kafka().client();
        config.put("acks", "all");
        config.put("enable.idempotence", true);
        config.put("linger.ms", 1);
        config.put("batch.size", 128 << 10);
        config.put("compression.type", "lz4");
        config.put("buffer.memory", 16L << 20);
        config.put("max.request.size", 2 << 20);
        config.put("max.block.ms", 10_000);
        config.put("request.timeout.ms", 5_000);
        config.put("delivery.timeout.ms", 10_000);
        return new KafkaProducer<>(config, new StringSerializer(), new ByteArraySerializer());
    }

    private void publish(KafkaProducer<String, byte[]> producer) throws InterruptedException {
        long skipTo = acknowledgedSeq;
        while (!stopping) {
            CommittedRow row = feed.next(WAIT_MILLIS);
            if (row != null) {
                send(producer, row, skipTo);
            }
            check();
        }
        CommittedRow row;
        while (!abandoned && (row = feed.next(0)) != null) {
            send(producer, row, skipTo);
            check();
        }
        long deadline = System.nanoTime() + DRAIN.toNanos();
        while (!abandoned && acknowledgedSeq < sentSeq && System.nanoTime() < deadline) {
            check();
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private void check() {
        Exception failed = failure;
        if (failed != null) {
            throw new KafkaException(failed.getMessage(), failed);
        }
    }

    private void send(KafkaProducer<String, byte[]> producer, CommittedRow row, long skipTo) {
        Step.PUBLISH_BEFORE.reach();
        String topic = context.events().topic();
        int partition = context.events().partition();
        for (int i = 0; i < row.events().size(); i++) {
            long seq = row.firstSeq() + i;
            if (seq > skipTo) {
                ProducerRecord<String, byte[]> record =
                        EventRecord.of(context.pool(), seq, row.atMillis(), row.events().get(i))
                                .toKafka(topic, partition);
                Callback callback = seq == row.lastSeq() ? lastOf(row) : this::one;
                var _ = producer.send(record, callback);
            }
        }
        sentSeq = row.lastSeq();
    }

    private void one(Object metadata, @Nullable Exception failed) {
        if (failed == null) {
            return;
        }
        if (RecordProducer.refusedForGood(failed)) {
            // readers see the gap in seq and read the journal
            LOG.error("pool {}: Kafka will never take an event", context.pool(), failed);
        } else if (failure == null) {
            failure = failed;
            feed.wake();
        }
    }

    /** Batches of one partition complete in order, so all before it have been told already. */
    private Callback lastOf(CommittedRow row) {
        return (metadata, failed) -> {
            one(row, failed);
            if (failure == null) {
                acknowledgedSeq = row.lastSeq();
                problem = "";
                context.metrics().publishedSeq.set(row.lastSeq());
                context.metrics().published.increment(row.events().size());
                Step.PUBLISHED.reach();
            }
        };
    }
}
