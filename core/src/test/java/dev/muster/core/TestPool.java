package dev.muster.core;

import dev.muster.domain.Ask;
import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.Input;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.LaneId;
import dev.muster.domain.Message;
import dev.muster.domain.NodeId;
import dev.muster.domain.NodeShape;
import dev.muster.domain.PoolId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.QueueId;
import dev.muster.domain.Report;
import dev.muster.domain.Resources;
import dev.muster.domain.Scenario;
import dev.muster.domain.Tier;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A pool to tell stories with: one message per batch, a full audit after each. */
final class TestPool {

    static final LaneId LANE = new LaneId("gateway/test/public");
    private static final ProjectId PROJECT = new ProjectId("vision");
    private static final QueueId QUEUE = new QueueId("default");

    PoolCore core = PoolCore.empty(new PoolId("public"), CoreSettings.DEFAULT);
    long now = 1_000_000;
    private long n;
    private long jobs;

    static TestPool of(int nodes, int devices) {
        TestPool pool = new TestPool();
        for (int i = 0; i < nodes; i++) {
            pool.node("node-" + i, devices);
        }
        return pool;
    }

    List<Event> node(String name, int devices) {
        return node(name, devices, "");
    }

    List<Event> node(String name, int devices, String supernode) {
        return node(name, new NodeShape(64_000, 262_144, "Ascend910", devices, supernode));
    }

    List<Event> ready(String name, boolean ready) {
        NodeShape shape = Objects.requireNonNull(core.node(new NodeId(name))).node().shape();
        return send(new Report.NodeObserved(0, new NodeId(name), shape, ready));
    }

    List<Event> node(String name, NodeShape shape) {
        return send(new Report.NodeObserved(0, new NodeId(name), shape, true));
    }

    Ask ask(int instances, String accelerator, Resources each) {
        return new Ask(new JobId(7, ++jobs), PROJECT, QUEUE, 2, instances, accelerator, each, 0);
    }

    Ask gang(int instances, int thousandths) {
        return ask(1, instances, thousandths, 0);
    }

    Ask ask(int priority, int instances, int thousandths, long autoStopSeconds) {
        return new Ask(
                new JobId(7, ++jobs),
                PROJECT,
                QUEUE,
                priority,
                instances,
                "Ascend910",
                new Resources(1000, 1024, thousandths),
                autoStopSeconds);
    }

    List<Event> submit(Ask ask) {
        return send(submission(ask));
    }

    static Command.SubmitJob submission(Ask ask) {
        return new Command.SubmitJob(ask, "job", "00ff", 5);
    }

    JobId submitted(Ask ask) {
        submit(ask);
        return ask.job();
    }

    List<Event> stop(JobId job) {
        return send(new Command.StopJob("stop-" + n, job, "ann", "enough"));
    }

    List<Event> send(Message... messages) {
        List<Input> batch = new ArrayList<>();
        for (Message message : messages) {
            batch.add(new Input.Delivered(LANE, ++n, message));
        }
        return decide(batch);
    }

    List<Event> decide(List<Input> inputs) {
        List<Input> batch = new ArrayList<>(inputs);
        batch.add(new Input.Tick(now));
        List<Event> events = core.decide(batch);
        core.checkInvariants();
        return events;
    }

    List<Event> tick() {
        return decide(List.of());
    }

    JobSnapshot job(JobId job) {
        return Objects.requireNonNull(core.job(job), () -> job + " is not alive");
    }

    InstanceRef instance(JobId job, int index) {
        JobSnapshot now = job(job);
        return new InstanceRef(job, now.attempt(), index, now.instances().get(index).incarnation());
    }

    List<Event> prepared(JobId job, int index) {
        return send(new Report.InstancePrepared(0, instance(job, index)));
    }

    List<Event> started(JobId job, int index) {
        return send(new Report.InstanceStarted(0, instance(job, index), job(job).processStart()));
    }

    List<Event> exited(JobId job, int index, int code) {
        return send(
                new Report.InstanceExited(0, instance(job, index), job(job).processStart(), code));
    }

    List<Event> gone(JobId job, int index) {
        return send(new Report.InstanceGone(0, instance(job, index)));
    }

    /** The monitor's word, with the counters of now. */
    List<Event> verdict(JobId job, Scenario scenario, boolean environment) {
        JobSnapshot now = job(job);
        int incarnation = now.instances().getFirst().incarnation();
        return send(
                new Command.ReportIncident(
                        "incident-" + n,
                        job,
                        now.attempt(),
                        incarnation,
                        now.processStart(),
                        scenario,
                        environment,
                        -1,
                        ""));
    }

    List<Event> hang(JobId job) {
        return verdict(job, Scenario.JOB_HANGED, false);
    }

    List<Event> progress(JobId job) {
        JobSnapshot now = job(job);
        int incarnation = now.instances().getFirst().incarnation();
        return send(
                new Command.ReportProgress(
                        "progress-" + n, job, now.attempt(), incarnation, now.processStart()));
    }

    List<Event> preempt(JobId job) {
        return send(new Command.PreemptJob("preempt-" + n, job, "ops", "maintenance"));
    }

    /** Every instance of the gang that is still there goes. */
    List<Event> allGone(JobId job) {
        List<JobSnapshot.InstanceSnapshot> instances = job(job).instances();
        List<Event> events = new ArrayList<>();
        for (int index = 0; index < instances.size(); index++) {
            if (!instances.get(index).gone()) {
                events.addAll(gone(job, index));
            }
        }
        return events;
    }

    /** Brings a gang that restarts to Running again, from where its tier put it. */
    List<Event> restart(JobId job) {
        List<Event> events = new ArrayList<>();
        if (job(job).recovery().tier() == Tier.JOB) {
            events.addAll(allGone(job));
        }
        int instances = job(job).ask().instances();
        for (int index = 0; index < instances && job(job).processStart() == 0; index++) {
            events.addAll(prepared(job, index));
        }
        for (int index = 0; index < instances; index++) {
            events.addAll(started(job, index));
        }
        return events;
    }

    /** Brings a granted gang to Running. */
    void run(JobId job) {
        int instances = job(job).ask().instances();
        for (int index = 0; index < instances; index++) {
            prepared(job, index);
        }
        for (int index = 0; index < instances; index++) {
            started(job, index);
        }
    }

    /** Ends a running gang well; returns what its last report led to. */
    List<Event> finish(JobId job) {
        int instances = job(job).ask().instances();
        for (int index = 0; index < instances; index++) {
            exited(job, index, 0);
        }
        List<Event> last = List.of();
        for (int index = 0; index < instances; index++) {
            last = gone(job, index);
        }
        return last;
    }

    static List<String> types(List<Event> events) {
        return events.stream().map(Event::type).toList();
    }
}
