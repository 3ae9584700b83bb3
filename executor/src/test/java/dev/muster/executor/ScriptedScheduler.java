package dev.muster.executor;

import static org.awaitility.Awaitility.await;

import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.Input;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSpec;
import dev.muster.domain.Report;
import dev.muster.domain.Scenario;
import dev.muster.domain.Spent;
import dev.muster.domain.Tier;
import dev.muster.platform.kafka.LaneRecord;
import dev.muster.platform.kafka.ProgressRecord;
import dev.muster.platform.kafka.RecordLoop;
import dev.muster.platform.run.ServiceContext;

import io.vertx.core.Future;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The other side of an executor for one job, with the decisions left to the test: it says the facts
 * that follow from the executor's reports by themselves, and takes the restarts from the test.
 */
final class ScriptedScheduler implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final FactJournal journal;
    private final List<RecordLoop> loops = new ArrayList<>();
    private final List<Report> reports = new CopyOnWriteArrayList<>();
    private final List<ProgressRecord.Signal> signals = new CopyOnWriteArrayList<>();
    private final JobId job = Facts.newJob();
    private final Set<InstanceRef> prepared = new HashSet<>();
    private final Set<InstanceRef> gone = new HashSet<>();
    private int instances;
    private int attempt = 1;
    private int incarnation = 1;
    private int processStart;
    private int incident;
    private boolean ending;
    private boolean again;
    private boolean released;
    private long seq;

    ScriptedScheduler(ServiceContext context) {
        this.journal = new FactJournal(context);
        loops.add(listen(context, context.kafka().topics().reports(), this::take));
        loops.add(listen(context, context.kafka().topics().progress(), this::hear));
    }

    private static RecordLoop listen(
            ServiceContext context,
            String topic,
            java.util.function.Function<List<ConsumerRecord<String, byte[]>>, Future<Void>> to) {
        return RecordLoop.start(
                context.kafka(),
                new RecordLoop.Source(
                        "scripted-" + topic,
                        List.of(new TopicPartition(topic, 0)),
                        new RecordLoop.Start.Beginning(),
                        1000),
                to::apply,
                context.meters());
    }

    JobId job() {
        return job;
    }

    /** Says that the job is submitted and granted. */
    synchronized void grant(JobSpec spec) {
        instances = spec.instances();
        String hash = journal.store(job, spec);
        say(
                new Event.JobSubmitted(spec.ask(job), "test", hash, 1),
                Facts.granted(job, attempt, instances));
    }

    /** Orders a restart, with the counters that follow from it. */
    synchronized void restart(Tier tier, Scenario scenario) {
        switch (tier) {
            case PROCESS -> processStart++;
            case CONTAINER -> {
                incarnation++;
                processStart = 0;
            }
            case JOB -> {
                ending = true;
                again = true;
            }
        }
        say(
                new Event.JobRestarting(
                        job,
                        Facts.PROJECT,
                        attempt,
                        ++incident,
                        tier,
                        scenario,
                        incarnation,
                        processStart,
                        Spent.NONE));
    }

    synchronized void finish() {
        ending = true;
        say(new Event.JobFinishing(job, Facts.PROJECT, attempt, null, ""));
    }

    private void say(Event... facts) {
        seq += facts.length;
        journal.append(
                List.of(new Input.Tick(System.currentTimeMillis())), List.of(facts), seq, true);
    }

    private synchronized Future<Void> take(List<ConsumerRecord<String, byte[]>> batch) {
        for (ConsumerRecord<String, byte[]> each : batch) {
            LaneRecord record = LaneRecord.read(each);
            long position = journal.positions.getOrDefault(record.lane().value(), 0L);
            if (record.n() == position + 1) {
                journal.positions.put(record.lane().value(), record.n());
                if (record.delivered().message() instanceof Report report) {
                    reports.add(report);
                    follow(report);
                }
            }
        }
        say(new Event.InputsAbsorbed(batch.size()));
        return Future.succeededFuture();
    }

    private void follow(Report report) {
        if (report instanceof Report.InstancePrepared(long _, InstanceRef instance)
                && isCurrent(instance)) {
            prepared(instance);
        } else if (report instanceof Report.InstanceGone(long _, InstanceRef instance)
                && isCurrent(instance)) {
            gone(instance);
        }
    }

    private void prepared(InstanceRef i) {
        if (prepared.add(i)) {
            say(
                    new Event.InstancePrepared(
                            job, Facts.PROJECT, attempt, i.index(), i.incarnation()));
        }
        if (processStart == 0 && all(prepared)) {
            processStart = 1;
            say(new Event.JobStarting(job, Facts.PROJECT, attempt, 1));
        }
    }

    private void gone(InstanceRef i) {
        if (gone.add(i)) {
            say(new Event.InstanceGone(job, Facts.PROJECT, attempt, i.index(), i.incarnation()));
        }
        if (ending && all(gone)) {
            release();
        }
    }

    private void release() {
        say(new Event.GangReleased(job, Facts.PROJECT, attempt));
        ending = false;
        if (again) {
            again = false;
            attempt++;
            incarnation = 1;
            processStart = 0;
            say(Facts.granted(job, attempt, instances));
        } else {
            released = true;
            say(new Event.JobFailed(job, Facts.PROJECT, attempt, FailureCause.EXIT_CODE, "done"));
        }
    }

    private boolean isCurrent(InstanceRef instance) {
        return instance.attempt() == attempt && instance.incarnation() == incarnation;
    }

    private boolean all(Set<InstanceRef> of) {
        return of.stream().filter(this::isCurrent).count() == instances;
    }

    private Future<Void> hear(List<ConsumerRecord<String, byte[]>> batch) {
        batch.forEach(each -> signals.addAll(ProgressRecord.read(each).signals()));
        return Future.succeededFuture();
    }

    /** Everything that was reported, repeats included. */
    <R extends Report> Stream<R> reports(Class<R> type) {
        return reports.stream().filter(type::isInstance).map(type::cast);
    }

    <R extends Report> R awaitReport(Class<R> type, Predicate<R> which) {
        await().atMost(PATIENCE).until(() -> reports(type).anyMatch(which));
        return Objects.requireNonNull(reports(type).filter(which).findFirst().orElse(null));
    }

    void awaitStarted(InstanceRef instance, int number) {
        awaitReport(
                Report.InstanceStarted.class,
                each -> each.instance().equals(instance) && each.processStart() == number);
    }

    int awaitExit(InstanceRef instance, int number) {
        return awaitReport(
                        Report.InstanceExited.class,
                        each -> each.instance().equals(instance) && each.processStart() == number)
                .exitCode();
    }

    ProgressRecord.Signal awaitSignal(Predicate<ProgressRecord.Signal> which) {
        await().atMost(PATIENCE).until(() -> signals.stream().anyMatch(which));
        return signals.stream().filter(which).findFirst().orElseThrow();
    }

    void awaitReleased() {
        await().atMost(PATIENCE).until(() -> released);
    }

    InstanceRef instance(int ofAttempt, int index, int ofIncarnation) {
        return new InstanceRef(job, ofAttempt, index, ofIncarnation);
    }

    @Override
    public void close() {
        loops.forEach(RecordLoop::stop);
        journal.close();
    }
}
