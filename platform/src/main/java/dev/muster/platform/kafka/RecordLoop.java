package dev.muster.platform.kafka;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Records in: a plain consumer without a group on a platform thread of its own. It hands batches to
 * its handler one after another; while a batch is not done, nothing more is fetched, so a slow
 * handler is never flooded. Outages of the broker are waited out.
 */
public final class RecordLoop {

    private static final Logger LOG = LoggerFactory.getLogger(RecordLoop.class);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long MAX_BACKOFF_MILLIS = 5_000;

    /** For those that others wait for: nobody notices such a wait. */
    private static final Duration SHORT_PACE = Duration.ofMillis(3);

    /** Takes batches, on the loop's thread; it may block there. */
    @FunctionalInterface
    public interface Handler {
        /**
         * @param batch never empty; in order within each partition
         * @return completes when the next batch may come; if it fails, this one comes again
         */
        Future<Void> handle(List<ConsumerRecord<String, byte[]>> batch);
    }

    /** Where reading starts. */
    public sealed interface Start {
        record Beginning() implements Start {}

        /**
         * Only what comes from now on; fixed before {@link RecordLoop#start} returns its future.
         */
        record End() implements Start {}

        /** The first record at or after this time, or the end. */
        record Since(Instant time) implements Start {}

        /** Offsets to read next; a partition that is not named starts at its beginning. */
        record Offsets(Map<TopicPartition, Long> next) implements Start {}
    }

    /**
     * What a loop reads.
     *
     * @param name of its thread and its metrics
     * @param maxBatch records given to the handler at once
     * @param pace between two polls, at least: under load a fetch, its answer and a handler's
     *     transaction then serve several records
     */
    public record Source(
            String name,
            List<TopicPartition> partitions,
            Start start,
            int maxBatch,
            Duration pace) {
        public Source {
            partitions = List.copyOf(partitions);
        }

        public Source(String name, List<TopicPartition> partitions, Start start, int maxBatch) {
            this(name, partitions, start, maxBatch, SHORT_PACE);
        }

        /** For a reader that nobody waits for. */
        public Source every(Duration pace) {
            return new Source(name, partitions, start, maxBatch, pace);
        }
    }

    private final KafkaAccess kafka;
    private final Source source;
    private final Handler handler;
    private final Thread thread;
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final CountDownLatch positioned = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Map<TopicPartition, Long> next = new HashMap<>();
    private final Counter taken;
    private final Counter outages;
    private final Counter repeats;
    private final AtomicLong lag = new AtomicLong();
    private final MeterRegistry meters;
    private final Gauge lagGauge;
    private long backoffMillis;

    private RecordLoop(KafkaAccess kafka, Source source, Handler handler, MeterRegistry meters) {
        this.kafka = kafka;
        this.source = source;
        this.handler = handler;
        this.thread = Thread.ofPlatform().name(source.name).daemon().unstarted(this::run);
        this.taken = counter(meters, "muster.records.taken", "Records given to a handler");
        this.outages =
                counter(meters, "muster.records.outages", "Times that the broker failed a loop");
        this.repeats = counter(meters, "muster.records.repeats", "Batches that a handler failed");
        this.meters = meters;
        this.lagGauge =
                Gauge.builder("muster.records.lag", lag, AtomicLong::get)
                        .description("Records behind the end of the loop's partitions")
                        .tag("loop", source.name)
                        .register(meters);
    }

    private Counter counter(MeterRegistry meters, String name, String doc) {
        return Counter.builder(name).description(doc).tag("loop", source.name).register(meters);
    }

    /** Starts reading at once; waits for no broker. */
    public static RecordLoop start(
            KafkaAccess kafka, Source source, Handler handler, MeterRegistry meters) {
        RecordLoop loop = new RecordLoop(kafka, source, handler, meters);
        loop.thread.start();
        return loop;
    }

    /** Whether the start position was found within this time; blocks. */
    public boolean awaitPositioned(Duration patience) throws InterruptedException {
        return positioned.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Stops after the batch in hand; blocks until the thread has ended, at most 10 s. Not to be
     * called from an event loop or the handler.
     */
    public void stop() {
        stopping.set(true);
        try {
            if (!stopped.await(10, TimeUnit.SECONDS)) {
                LOG.warn("record loop {} did not stop within 10 s", source.name);
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!stopping.get()) {
                readUntilTrouble();
            }
        } finally {
            // a loop of the same name may follow, and its lag is another one's
            meters.remove(lagGauge);
            stopped.countDown();
        }
    }

    private void readUntilTrouble() {
        try (KafkaConsumer<String, byte[]> consumer = kafka.consumer()) {
            position(consumer);
            while (!stopping.get()) {
                long began = System.nanoTime();
                ConsumerRecords<String, byte[]> records = consumer.poll(POLL);
                backoffMillis = 0;
                deliver(records);
                lag.set(lag(consumer));
                LockSupport.parkNanos(began + source.pace.toNanos() - System.nanoTime());
            }
        } catch (WakeupException | org.apache.kafka.common.errors.InterruptException e) {
            stopping.set(true);
        } catch (KafkaException e) {
            outages.increment();
            pause("record loop " + source.name + " lost the broker: " + e.getMessage());
        }
    }

    private long lag(KafkaConsumer<String, byte[]> consumer) {
        long sum = 0;
        for (TopicPartition each : source.partitions) {
            sum += consumer.currentLag(each).orElse(0);
        }
        return sum;
    }

    private void position(KafkaConsumer<String, byte[]> consumer) {
        consumer.assign(source.partitions);
        if (next.isEmpty()) {
            next.putAll(startOffsets(consumer));
        }
        next.forEach(consumer::seek);
        positioned.countDown();
    }

    private Map<TopicPartition, Long> startOffsets(KafkaConsumer<String, byte[]> consumer) {
        return switch (source.start) {
            case Start.Beginning() -> consumer.beginningOffsets(source.partitions);
            case Start.End() -> consumer.endOffsets(source.partitions);
            case Start.Since(Instant time) -> since(consumer, time);
            case Start.Offsets(Map<TopicPartition, Long> wanted) -> {
                Map<TopicPartition, Long> offsets =
                        new HashMap<>(consumer.beginningOffsets(source.partitions));
                offsets.putAll(wanted);
                yield offsets;
            }
        };
    }

    private Map<TopicPartition, Long> since(KafkaConsumer<String, byte[]> consumer, Instant time) {
        Map<TopicPartition, Long> offsets = new HashMap<>(consumer.endOffsets(source.partitions));
        Map<TopicPartition, Long> times = new HashMap<>();
        source.partitions.forEach(partition -> times.put(partition, time.toEpochMilli()));
        Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(times);
        found.forEach((partition, at) -> {
            if (at != null) {
                offsets.put(partition, at.offset());
            }
        });
        return offsets;
    }

    private void deliver(ConsumerRecords<String, byte[]> records) {
        List<ConsumerRecord<String, byte[]>> batch = new ArrayList<>();
        for (ConsumerRecord<String, byte[]> each : records) {
            batch.add(each);
            if (batch.size() == source.maxBatch) {
                handOver(batch);
                batch = new ArrayList<>();
            }
        }
        if (!batch.isEmpty()) {
            handOver(batch);
        }
    }

    private void handOver(List<ConsumerRecord<String, byte[]>> batch) {
        while (!stopping.get()) {
            if (handled(batch)) {
                taken.increment(batch.size());
                batch.forEach(each ->
                        next.put(
                                new TopicPartition(each.topic(), each.partition()),
                                each.offset() + 1));
                backoffMillis = 0;
                return;
            }
            repeats.increment();
        }
    }

    private boolean handled(List<ConsumerRecord<String, byte[]>> batch) {
        try {
            Future<Void> done = handler.handle(List.copyOf(batch));
            if (done.succeeded()) {
                return true;
            }
            while (!stopping.get()) {
                if (await(done)) {
                    return true;
                }
            }
            return false;
        } catch (ExecutionException e) {
            pause("record loop " + source.name + " repeats a batch: " + e.getCause());
        } catch (RuntimeException e) {
            pause("record loop " + source.name + " repeats a batch: " + e);
        } catch (InterruptedException e) {
            stopping.set(true);
        }
        return false;
    }

    private static boolean await(Future<Void> done)
            throws InterruptedException, ExecutionException {
        try {
            done.toCompletionStage()
                    .toCompletableFuture()
                    .get(POLL.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    private void pause(String why) {
        if (stopping.get()) {
            return;
        }
        backoffMillis = Math.min(MAX_BACKOFF_MILLIS, Math.max(50, backoffMillis * 2));
        LOG.warn("{}; again in {} ms", why, backoffMillis);
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(backoffMillis);
        try {
            while (!stopping.get() && System.nanoTime() < until) {
                TimeUnit.MILLISECONDS.sleep(Math.min(50, backoffMillis));
            }
        } catch (InterruptedException e) {
            stopping.set(true);
        }
    }
}
