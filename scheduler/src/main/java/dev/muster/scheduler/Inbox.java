package dev.muster.scheduler;

import dev.muster.domain.Command;
import dev.muster.domain.Input;
import dev.muster.domain.JobId;
import dev.muster.domain.Message;
import dev.muster.domain.ProjectId;
import dev.muster.domain.Report;
import dev.muster.platform.codec.Decoded;
import dev.muster.platform.kafka.LaneRecord;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The pool's partitions of commands and reports. What is taken is decided by the lanes' positions
 * alone; the offsets only say where to look first, so a topic that was truncated or made anew is no
 * trouble: the producers send again what the positions have not passed.
 */
final class Inbox implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

    /**
     * Stands in the journal for a record that nobody can read: older than any shard, so ignored.
     */
    private static final long NO_SHARD = -1;

    private static final long UNSETTLED_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final Duration CONNECT = Duration.ofSeconds(1);

    private final PoolContext context;
    private final KafkaConsumer<String, byte[]> consumer;
    private final ArrayDeque<ConsumerRecord<String, byte[]>> fetched = new ArrayDeque<>();
    private final Map<String, Long> offsets = new HashMap<>();
    private final int maxInputs;
    private final int maxBytes;
    private long toldPoison;

    /** Connects, if the broker answers: the first poll then need not. */
    Inbox(PoolContext context) {
        this.context = context;
        this.maxInputs = context.setting(SchedulerSettings.BATCH_INPUTS);
        this.maxBytes = context.setting(SchedulerSettings.BATCH_BYTES);
        this.consumer = context.service().kafka().consumer();
        consumer.assign(List.of(context.reports(), context.commands()));
        boolean connected = reaches(CONNECT);
        LOG.debug("pool {}: the inbox is connected: {}", context.pool(), connected);
    }

    /**
     * To be called before the first poll.
     *
     * @param where topic → offset to read next; a topic that is not named is read from its
     *     beginning
     */
    void seek(Map<String, Long> where) {
        offsets.putAll(where);
        for (TopicPartition each : consumer.assignment()) {
            Long next = offsets.get(each.topic());
            if (next == null) {
                consumer.seekToBeginning(List.of(each));
            } else {
                // beyond the end or before the beginning: the consumer starts at the earliest
                consumer.seek(each, next);
            }
        }
    }

    /** Ends a poll that waits, now or the next one. From any thread. */
    void wake() {
        consumer.wakeup();
    }

    /**
     * Adds the next inputs to a batch, at most as many as a batch may have, and moves the
     * positions.
     */
    void poll(Duration wait, Positions positions, List<Input> batch) {
        if (fetched.isEmpty()) {
            fetch(wait);
        }
        int bytes = 0;
        int taken = 0;
        ConsumerRecord<String, byte[]> record;
        while (taken < maxInputs && bytes < maxBytes && (record = fetched.poll()) != null) {
            offsets.put(record.topic(), record.offset() + 1);
            if (take(record, positions, batch)) {
                taken++;
                bytes += record.serializedValueSize();
            }
        }
    }

    private void fetch(Duration wait) {
        if (!context.restore().permits()) {
            LockSupport.parkNanos(this, Math.min(wait.toNanos(), UNSETTLED_NANOS));
            return;
        }
        try {
            for (ConsumerRecord<String, byte[]> each : consumer.poll(wait)) {
                fetched.add(each);
            }
        } catch (WakeupException e) {
            // somebody asks the loop for something: no records this time
        }
    }

    /** Whether more waits in memory already. */
    boolean hasMore() {
        return !fetched.isEmpty();
    }

    private boolean take(
            ConsumerRecord<String, byte[]> raw, Positions positions, List<Input> batch) {
        LaneRecord record;
        try {
            record = LaneRecord.read(raw);
        } catch (RuntimeException e) {
            // it names no lane, so no lane waits for it
            poison(raw, "it names no lane and number", e);
            return false;
        }
        if (!record.pool().equals(context.pool())) {
            return false;
        }
        return switch (positions.take(record.lane(), record.n())) {
            case TAKEN -> {
                batch.add(new Input.Delivered(record.lane(), record.n(), message(raw, record)));
                yield true;
            }
            case REPEAT -> {
                context.metrics().repeats.increment();
                yield false;
            }
            case GAP -> {
                context.metrics().gaps.increment();
                yield false;
            }
        };
    }

    /**
     * An unreadable record keeps its place, so that its lane goes on and nothing is skipped
     * silently.
     */
    private Message message(ConsumerRecord<String, byte[]> raw, LaneRecord record) {
        String reason;
        try {
            Decoded<Message> decoded = record.decode();
            if (decoded instanceof Decoded.Known<Message>(Message message)) {
                return message;
            }
            reason = "its type " + printable(record.type()) + " is not known";
            poison(raw, reason, null);
        } catch (RuntimeException e) {
            reason = "its " + printable(record.type()) + " cannot be read";
            poison(raw, reason, e);
        }
        if (record.type().equals("SubmitJob") && !record.job().isEmpty()) {
            try {
                JobId job = JobId.parse(record.job());
                return new Command.Unpublishable(job, UNKNOWN_PROJECT, reason);
            } catch (IllegalArgumentException e) {
                LOG.debug("no job id in the header of an unreadable record", e);
            }
        }
        return new Report.ShardTaken(NO_SHARD, "unreadable record: " + reason);
    }

    private static final ProjectId UNKNOWN_PROJECT = new ProjectId("unknown");

    private static String printable(String text) {
        String plain = text.replaceAll("[^A-Za-z0-9._-]", "?");
        return plain.length() > 60 ? plain.substring(0, 60) : plain;
    }

    private void poison(
            ConsumerRecord<String, byte[]> record,
            String reason,
            @org.jspecify.annotations.Nullable Throwable cause) {
        context.metrics().poison.increment();
        toldPoison++;
        // powers of two: a flood of them does not fill the log
        if (Long.bitCount(toldPoison) == 1) {
            LOG.warn(
                    "pool {}: record {} at offset {} is passed over, number {}: {}{}",
                    context.pool(),
                    record.topic(),
                    record.offset(),
                    toldPoison,
                    reason,
                    cause == null ? "" : " (" + cause.getMessage() + ")");
        }
    }

    /** Whether the broker of the pool's commands answers in time. */
    boolean reaches(Duration patience) {
        try {
            consumer.endOffsets(List.of(context.commands()), patience);
            return true;
        } catch (WakeupException e) {
            consumer.wakeup(); // it was meant for the next poll
            return true;
        } catch (RetriableException e) {
            return false;
        }
    }

    /** topic → offset to read next after all that was taken. */
    Map<String, Long> offsets() {
        return Map.copyOf(offsets);
    }

    /** Records of the partitions that were not taken yet, as far as the consumer knows. */
    long lag() {
        long lag = fetched.size();
        for (TopicPartition each : consumer.assignment()) {
            lag += consumer.currentLag(each).orElse(0);
        }
        return lag;
    }

    @Override
    public void close() {
        consumer.close(
                org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ofSeconds(1)));
    }
}
