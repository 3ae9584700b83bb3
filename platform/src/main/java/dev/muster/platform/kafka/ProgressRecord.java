package dev.muster.platform.kafka;

import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;

import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.PoolId;
import dev.muster.platform.codec.Json;
import dev.muster.platform.codec.Malformed;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Signals of many instances at one time, packed in columns, on {@code muster.progress}. They are
 * observations: a lost or repeated record changes nothing but how soon a hang is seen.
 *
 * @param shardEpoch of the executor that saw them; those of an older one are not believed
 * @param atMillis the executor's clock
 */
public record ProgressRecord(PoolId pool, long shardEpoch, long atMillis, List<Signal> signals) {

    /** Most signals in one record, so that it stays far below Kafka's bound. */
    public static final int MAX_SIGNALS = 1000;

    private static final int VERSION = 1;
    private static final ObjectWriter WRITER = Json.json().writerFor(Columns.class);
    private static final ObjectReader READER = Json.json().readerFor(Columns.class);

    public ProgressRecord {
        signals = List.copyOf(signals);
        if (signals.size() > MAX_SIGNALS) {
            throw new IllegalArgumentException("a record holds at most " + MAX_SIGNALS);
        }
    }

    /**
     * What is known of one process start.
     *
     * @param runMillis since the command's start, by a clock that nobody steps
     * @param silentMillis since its log grew, or since its start; by such a clock, too
     * @param logBytes size of its log
     * @param ioBytes read and written by its processes, as far as the machine tells
     * @param step last one reported, −1 for none
     * @param checkpoint last one reported, empty for none
     * @param failure log line that matched a failure pattern of the job, empty for none
     */
    public record Signal(
            InstanceRef instance,
            int processStart,
            long runMillis,
            long silentMillis,
            long logBytes,
            long ioBytes,
            long step,
            String checkpoint,
            String failure) {

        public Signal withFailure(String line) {
            return new Signal(
                    instance,
                    processStart,
                    runMillis,
                    silentMillis,
                    logBytes,
                    ioBytes,
                    step,
                    checkpoint,
                    line);
        }
    }

    /** The form on the wire: one array a field. */
    private record Columns(
            int v,
            PoolId pool,
            long shardEpoch,
            long at,
            List<JobId> job,
            List<Integer> attempt,
            List<Integer> index,
            List<Integer> incarnation,
            List<Integer> processStart,
            List<Long> runMillis,
            List<Long> silentMillis,
            List<Long> logBytes,
            List<Long> ioBytes,
            List<Long> step,
            List<String> checkpoint,
            List<String> failure) {

        boolean even() {
            return List.of(
                            attempt,
                            index,
                            incarnation,
                            processStart,
                            runMillis,
                            silentMillis,
                            logBytes,
                            ioBytes,
                            step,
                            checkpoint,
                            failure)
                    .stream()
                    .allMatch(column -> column.size() == job.size());
        }

        Signal signal(int row) {
            return new Signal(
                    new InstanceRef(
                            job.get(row), attempt.get(row), index.get(row), incarnation.get(row)),
                    processStart.get(row),
                    runMillis.get(row),
                    silentMillis.get(row),
                    logBytes.get(row),
                    ioBytes.get(row),
                    step.get(row),
                    checkpoint.get(row),
                    failure.get(row));
        }
    }

    public byte[] encode() {
        Columns columns =
                new Columns(
                        VERSION,
                        pool,
                        shardEpoch,
                        atMillis,
                        column(s -> s.instance().job()),
                        column(s -> s.instance().attempt()),
                        column(s -> s.instance().index()),
                        column(s -> s.instance().incarnation()),
                        column(Signal::processStart),
                        column(Signal::runMillis),
                        column(Signal::silentMillis),
                        column(Signal::logBytes),
                        column(Signal::ioBytes),
                        column(Signal::step),
                        column(Signal::checkpoint),
                        column(Signal::failure));
        try {
            return WRITER.writeValueAsBytes(columns);
        } catch (IOException e) {
            throw new IllegalStateException("cannot encode signals", e);
        }
    }

    private <T> List<T> column(Function<Signal, T> field) {
        return signals.stream().map(field).toList();
    }

    /**
     * @throws Malformed if the bytes are not such a record
     */
    public static ProgressRecord decode(byte[] data) {
        try {
            Columns columns = READER.readValue(data);
            if (columns.v != VERSION || !columns.even()) {
                throw new Malformed("signals of version " + columns.v);
            }
            List<Signal> signals = new ArrayList<>(columns.job.size());
            for (int row = 0; row < columns.job.size(); row++) {
                signals.add(columns.signal(row));
            }
            return new ProgressRecord(columns.pool, columns.shardEpoch, columns.at, signals);
        } catch (IOException | NullPointerException | IllegalArgumentException e) {
            throw new Malformed("signals", e);
        }
    }

    /**
     * @throws Malformed if the record holds no signals
     */
    public static ProgressRecord read(ConsumerRecord<String, byte[]> record) {
        byte[] data = record.value();
        if (data == null) {
            throw new Malformed("signals at offset " + record.offset());
        }
        return decode(data);
    }

    public ProducerRecord<String, byte[]> toKafka(String topic, int partition) {
        return new ProducerRecord<>(topic, partition, atMillis, null, encode());
    }
}
