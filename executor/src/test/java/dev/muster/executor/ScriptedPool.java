package dev.muster.executor;

import dev.muster.core.CoreSettings;
import dev.muster.core.PoolCore;
import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.Input;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSpec;
import dev.muster.domain.LaneId;
import dev.muster.domain.Message;
import dev.muster.platform.codec.SnapshotCodec;
import dev.muster.platform.kafka.LaneRecord;
import dev.muster.platform.kafka.RecordLoop;
import dev.muster.platform.run.ServiceContext;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The other side of an executor: the real core behind a real event stream and journal, in the
 * smallest form. What it decides is journalled, then published, unless the stream is cut.
 */
final class ScriptedPool implements AutoCloseable {

    private static final LaneId COMMANDS = new LaneId("gateway/test/public");

    private final ServiceContext context;
    private final FactJournal journal;
    private final RecordLoop reports;
    private final PoolCore core = PoolCore.empty(Facts.POOL, CoreSettings.DEFAULT);
    private final List<Event> events = new CopyOnWriteArrayList<>();
    private final List<Message> delivered = new CopyOnWriteArrayList<>();
    private long commands;
    private volatile boolean cut;

    ScriptedPool(ServiceContext context) {
        this.context = context;
        this.journal = new FactJournal(context);
        decide(List.of(new Input.LeaderElected(1, "test", 1)));
        this.reports =
                RecordLoop.start(
                        context.kafka(),
                        new RecordLoop.Source(
                                "scripted-reports",
                                List.of(new TopicPartition(context.kafka().topics().reports(), 0)),
                                new RecordLoop.Start.Beginning(),
                                1000),
                        this::take,
                        context.meters());
    }

    static <T> T await(Future<T> future) {
        return FactJournal.await(future);
    }

    /** Facts so far. */
    List<Event> events() {
        return events;
    }

    /** Reports that were taken in, in order. */
    List<Message> reports() {
        return delivered;
    }

    /** Nothing is published from now on; what is decided is in the journal alone. */
    void cut(boolean off) {
        cut = off;
    }

    synchronized JobId submit(JobSpec spec) {
        JobId job = Facts.newJob();
        String hash = journal.store(job, spec);
        command(new Command.SubmitJob(spec.ask(job), spec.name(), hash, 1));
        return job;
    }

    synchronized void stop(JobId job) {
        command(new Command.StopJob("stop-" + job, job, "test", "no longer wanted"));
    }

    synchronized void snapshot() {
        await(
                context.database()
                        .query(
                                "INSERT INTO scheduler.pub_snapshot VALUES ('public', $1, $2)",
                                Tuple.of(
                                        core.seq(),
                                        Buffer.buffer(SnapshotCodec.encode(core.snapshot())))));
    }

    private void command(Command command) {
        decide(List.of(new Input.Delivered(COMMANDS, ++commands, command)));
    }

    private synchronized Future<Void> take(List<ConsumerRecord<String, byte[]>> batch) {
        List<Input> inputs = new ArrayList<>();
        for (ConsumerRecord<String, byte[]> each : batch) {
            LaneRecord record = LaneRecord.read(each);
            long position = journal.positions.getOrDefault(record.lane().value(), 0L);
            if (record.n() == position + 1) {
                journal.positions.put(record.lane().value(), record.n());
                Input.Delivered input = record.delivered();
                delivered.add(input.message());
                inputs.add(input);
            }
        }
        if (!inputs.isEmpty()) {
            decide(inputs);
        }
        return Future.succeededFuture();
    }

    private synchronized void decide(List<Input> inputs) {
        List<Input> batch = new ArrayList<>(inputs);
        batch.add(new Input.Tick(System.currentTimeMillis()));
        List<Event> decided = core.decide(batch);
        events.addAll(decided);
        journal.append(batch, decided, core.seq(), !cut);
    }

    @Override
    public void close() {
        reports.stop();
        journal.close();
    }
}
