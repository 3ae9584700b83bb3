package dev.muster.core;

import dev.muster.core.recovery.RecoverySettings;
import dev.muster.domain.Ask;
import dev.muster.domain.Canonical;
import dev.muster.domain.CanonicalEvents;
import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.Input;
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
import dev.muster.domain.RestartPolicy;
import dev.muster.domain.WaitReason;
import dev.muster.domain.Watch;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A pool's life from a seed: random commands and reports in batches, some of them taken back, some
 * cores replaced by what their snapshot gives. Each batch is checked in every way there is.
 */
final class Simulation {

    private static final LaneId LANE = new LaneId("gateway/sim/public");
    private static final ProjectId PROJECT = new ProjectId("research");
    private static final String[] MODELS = {"A100", "Ascend910", ""};
    private static final int[] SHARES = {0, 250, 300, 500, 1000, 1000, 2000, 4000, 8000};

    private final Random random;
    private final boolean storm;
    private final CoreSettings settings;
    private final ModelExecutor executor;
    private final ModelMonitor monitor;
    private final RestartLedger ledger = new RestartLedger();
    private final List<JobId> known = new ArrayList<>();
    private final Canonical journal = new Canonical();

    PoolCore core;

    /** Folds the events one by one. */
    private final PoolCore follower;

    private long now = 1_000_000;
    private long n;
    private long leaderEpoch;
    private long events;
    private final SortedSet<String> types = new TreeSet<>();
    private int nodes;

    Simulation(long seed) {
        this(seed, false);
    }

    /** Few jobs, all of them in trouble: hangs, exits, stops and preemptions race each other. */
    static Simulation storm(long seed) {
        return new Simulation(seed, true);
    }

    private Simulation(long seed, boolean storm) {
        this.random = new Random(seed);
        this.storm = storm;
        this.settings =
                new CoreSettings(
                        random.nextInt(4) == 0 ? 3 : 1000,
                        1 + random.nextInt(6),
                        RecoverySettings.DEFAULT);
        this.executor = new ModelExecutor(random, storm ? 2 : 8, storm ? 60 : 12);
        this.monitor = new ModelMonitor(random);
        this.core = PoolCore.empty(new PoolId("public"), settings);
        this.follower = PoolCore.empty(new PoolId("public"), settings);
    }

    /** Runs, then lets everything come to its end. */
    void run(int batches) {
        deliver(List.of(new Report.ShardTaken(1, "executor")));
        for (int i = 0; i < batches; i++) {
            deliver(randomMessages());
        }
        settle();
    }

    long restarts() {
        return ledger.restarts();
    }

    long events() {
        return events;
    }

    SortedSet<String> types() {
        return types;
    }

    byte[] journalHash() {
        return journal.sha256();
    }

    private List<Message> randomMessages() {
        List<Message> messages = new ArrayList<>();
        int count = random.nextInt(6);
        for (int i = 0; i < count; i++) {
            messages.add(randomMessage());
        }
        return messages;
    }

    private Message randomMessage() {
        if (random.nextInt(storm ? 3 : 8) == 0) {
            Command word = monitor.speak();
            if (word != null) {
                return word;
            }
        }
        if (storm && nodes >= 3) {
            return stormMessage();
        }
        int dice = random.nextInt(100);
        if (dice < 22) {
            return submit();
        }
        if (dice < 26) {
            return new Command.StopJob("stop-" + n, someJob(), "ann", "changed my mind");
        }
        if (dice < 29) {
            return random.nextBoolean()
                    ? new Command.CordonNode("c-" + n, someNode(), "op")
                    : new Command.UncordonNode("u-" + n, someNode(), "op");
        }
        if (dice < 37) {
            return observeNode();
        }
        if (dice < 45) {
            return executor.mischief(someJob());
        }
        if (dice == 45) {
            executor.shardEpoch++;
            return new Report.ShardTaken(executor.shardEpoch, "executor");
        }
        if (dice == 47) {
            return new Command.PreemptJob("preempt-" + n, someJob(), "op", "room is needed");
        }
        if (dice == 46) {
            return new Command.Unpublishable(newJob(), PROJECT, "too large");
        }
        Report report = executor.advanceOne(false);
        boolean lost = random.nextInt(10) == 0;
        return report == null || lost ? executor.mischief(someJob()) : report;
    }

    private Message stormMessage() {
        int dice = random.nextInt(100);
        if (dice < 8) {
            return submit();
        }
        if (dice < 11) {
            return new Command.StopJob("stop-" + n, someJob(), "ann", "changed my mind");
        }
        if (dice < 15) {
            return new Command.PreemptJob("preempt-" + n, someJob(), "op", "room is needed");
        }
        if (dice < 17) {
            return observeNode();
        }
        Report report = dice < 22 ? null : executor.advanceOne(random.nextInt(3) > 0);
        return report == null ? executor.mischief(someJob()) : report;
    }

    private Command submit() {
        if (!known.isEmpty() && random.nextInt(20) == 0) {
            JobSnapshot again = core.job(someJob());
            if (again != null) {
                return new Command.SubmitJob(again.ask(), again.name(), again.specHash(), now);
            }
        }
        JobId job = newJob();
        known.add(job);
        int thousandths = SHARES[random.nextInt(SHARES.length)];
        Ask ask =
                new Ask(
                        job,
                        PROJECT,
                        new QueueId(random.nextBoolean() ? "default" : "night"),
                        1 + random.nextInt(3),
                        random.nextInt(3) == 0 ? 1 + random.nextInt(6) : 1,
                        MODELS[random.nextInt(MODELS.length)],
                        new Resources(
                                random.nextInt(4) * 4000, random.nextInt(3) * 1000, thousandths),
                        random.nextInt(4) == 0 ? 5 : 0,
                        policy(),
                        random.nextInt(3) > 0,
                        Watch.DEFAULT);
        return new Command.SubmitJob(ask, "job-" + known.size(), "ab12", now);
    }

    private RestartPolicy policy() {
        return !storm && random.nextInt(3) == 0
                ? RestartPolicy.OFF
                : new RestartPolicy(
                        true,
                        1 + random.nextInt(storm ? 8 : 4),
                        random.nextInt(storm ? 4 : 2) > 0,
                        random.nextInt(3) > 0);
    }

    private Message observeNode() {
        boolean fresh = nodes == 0 || (nodes < 12 && random.nextInt(3) > 0);
        int number = fresh ? nodes++ : random.nextInt(nodes);
        NodeId node = new NodeId("node-" + number);
        NodeUsage usage = core.node(node);
        boolean ready = random.nextInt(4) > 0;
        NodeShape shape =
                usage == null || random.nextInt(6) == 0
                        ? new NodeShape(
                                16_000 * (1 + random.nextInt(3)),
                                8_000,
                                MODELS[random.nextInt(2)],
                                4 * random.nextInt(3),
                                random.nextBoolean() ? "" : "super-" + random.nextInt(3))
                        : usage.node().shape();
        return new Report.NodeObserved(executor.shardEpoch, node, shape, ready);
    }

    private JobId newJob() {
        return new JobId(random.nextLong(), random.nextLong());
    }

    private JobId someJob() {
        return known.isEmpty() ? newJob() : known.get(random.nextInt(known.size()));
    }

    private NodeId someNode() {
        return new NodeId("node-" + random.nextInt(nodes + 1));
    }

    private void deliver(List<? extends Message> messages) {
        now += random.nextInt(4) == 0 ? random.nextInt(3000) : random.nextInt(20);
        List<Input> batch = new ArrayList<>();
        if (random.nextInt(60) == 0) {
            batch.add(new Input.LeaderElected(++leaderEpoch, "leader-" + leaderEpoch, 1));
            batch.add(new Input.OutageEnded(now - random.nextInt(4000), now));
        }
        for (Message message : messages) {
            ledger.said(message);
            batch.add(new Input.Delivered(LANE, ++n, message));
        }
        batch.add(new Input.Tick(now));
        decide(batch);
    }

    private void decide(List<Input> batch) {
        List<Event> rehearsed = rehearse(batch);
        int mark = random.nextBoolean() ? core.mark() : 0;
        List<Event> decided = core.decide(batch);
        if (mark > 0) {
            core.forget(mark);
        }
        core.checkInvariants();
        check(rehearsed == null || rehearsed.equals(decided), "a rehearsal changed the decision");
        check(batch.size() == 1 || !decided.isEmpty(), "inputs led to no event");
        record(decided);
        if (random.nextInt(8) == 0) {
            core = PoolCore.load(core.snapshot(), settings);
        }
    }

    /** Decides and takes back, or has a copy decide: neither may change anything. */
    private @Nullable List<Event> rehearse(List<Input> batch) {
        int dice = random.nextInt(3);
        if (dice == 0) {
            return null;
        }
        if (dice == 1) {
            return PoolCore.load(core.snapshot(), settings).decide(batch);
        }
        byte[] before = core.stateHash();
        int outer = core.mark();
        List<Event> events = core.decide(batch);
        int inner = core.mark();
        core.decide(List.of(new Input.Tick(now + random.nextInt(10_000))));
        core.rollback(inner);
        core.rollback(outer);
        check(Arrays.equals(before, core.stateHash()), "a rollback left something");
        core.checkInvariants();
        return events;
    }

    private void record(List<Event> decided) {
        for (Event event : decided) {
            CanonicalEvents.write(journal, event);
            events++;
            types.add(event.type());
            executor.fold(event);
            monitor.fold(event);
            ledger.fold(event);
            follower.apply(core.nowMillis(), List.of(event));
            follower.checkInvariants();
        }
        check(core.seq() == events, "seqs have gaps");
        check(
                random.nextInt(4) > 0 || Arrays.equals(core.stateHash(), follower.stateHash()),
                "the follower knows something else");
    }

    /** All nodes come back, the executor behaves: every job ends. */
    private void settle() {
        for (int round = 0; round < 600 && live() > 0; round++) {
            List<Message> messages = new ArrayList<>();
            for (int number = 0; number < nodes; number++) {
                NodeUsage usage = core.node(new NodeId("node-" + number));
                if (usage != null) {
                    NodeId node = usage.node().node();
                    NodeShape shape = usage.node().shape();
                    messages.add(new Report.NodeObserved(executor.shardEpoch, node, shape, true));
                    messages.add(new Command.UncordonNode("settle", node, "op"));
                }
            }
            messages.addAll(executor.behave());
            core.forEachJob(job -> {
                if (job.reason().code() == WaitReason.Code.NEVER_FITS) {
                    messages.add(new Command.StopJob("settle", job.ask().job(), "op", "never"));
                }
            });
            deliver(messages);
        }
        check(live() == 0, live() + " jobs never ended");
        core.forEachNode(node -> check(node.instances() == 0, "usage is left on " + node));
    }

    private int live() {
        return core.snapshot().jobs().size();
    }

    private void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise + " after event " + events);
        }
    }
}
