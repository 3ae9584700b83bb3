package dev.muster.simulation;

import dev.muster.domain.Event;
import dev.muster.domain.JobId;
import dev.muster.domain.PoolSnapshot;
import dev.muster.monitor.ExitClassification;
import dev.muster.monitor.LiveJob;
import dev.muster.monitor.LiveJobs;
import dev.muster.monitor.Verdicts;
import dev.muster.platform.journal.PoolFacts;
import dev.muster.platform.kafka.LaneFeed;
import dev.muster.platform.kafka.LaneRoute;
import dev.muster.platform.kafka.LaneSender;
import dev.muster.platform.kafka.ProgressRecord;
import dev.muster.platform.lease.LeaseOwner;

import io.vertx.core.Future;

import org.apache.kafka.clients.consumer.ConsumerRecord;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;

/** A monitor: the real lease owner, facts, detectors, verdicts and lane. */
final class SimMonitor extends SimProcess {

    private static final int LEASE_MILLIS = 4_000;
    private static final long LOOK_MILLIS = 2_000;
    private static final long FLUSH_MILLIS = 100;
    private static final long BACKLOG_MILLIS = 2_000;
    private static final long PATIENCE_MILLIS = 500;
    private static final long PROGRESS_WINDOW_MILLIS = 20_000;

    private static final Verdicts.Meter UNCOUNTED =
            new Verdicts.Meter() {
                @Override
                public void hung(long delayMillis) {}

                @Override
                public void exited(ExitClassification found) {}
            };

    SimMonitor(World world, String name) {
        super(world, name);
    }

    @Override
    void begin() {
        Future<Void> started =
                new LeaseOwner(
                                this,
                                "monitor",
                                new LeaseTable.Client(
                                        world.database, this, "monitor", LEASE_MILLIS),
                                LEASE_MILLIS,
                                Term::new)
                        .start();
        started.onFailure(cause -> world.oracle.broken(this, cause));
    }

    /** One epoch, as {@code MonitorTerm} has it. */
    private final class Term implements LeaseOwner.Term, PoolFacts.Sink, Executor {

        private final LaneSender lane;
        private final LaneFeed feed;
        private final PoolFacts facts;
        private final Verdicts verdicts;
        private final List<SimConsumer> consumers = new ArrayList<>();
        private final List<Long> timers = new ArrayList<>();
        private LiveJobs jobs = new LiveJobs();
        private boolean flushing;
        private boolean current;
        private boolean stopped;

        Term(LeaseOwner.Ownership ownership) {
            SimMonitor self = SimMonitor.this;
            this.lane =
                    LaneSender.open(
                            LaneRoute.ofMonitor(
                                    name, World.POOL, ownership.epoch(), World.TOPICS, 0),
                            world.lane(self, null),
                            0);
            this.feed =
                    new LaneFeed(lane, World.LANE_WINDOW, "monitor.verdict.sent", ownership.fail());
            this.verdicts = new Verdicts(PROGRESS_WINDOW_MILLIS, feed::add, UNCOUNTED);
            this.facts = new PoolFacts(self, new SimFacts(self), World.POOL, this, this);
        }

        @Override
        public void execute(Runnable work) {
            SimMonitor.this.execute(() -> {
                if (!stopped) {
                    work.run();
                    afterBatch();
                }
            });
        }

        @Override
        public void start() {
            timers.add(every(LOOK_MILLIS, () -> execute(facts::look)));
            consumers.add(
                    new SimConsumer(
                            SimMonitor.this,
                            World.TOPICS.events(),
                            world.transport.end(World.TOPICS.events()),
                            facts::records));
            execute(facts::begin);
        }

        @Override
        public void begin(Optional<PoolSnapshot> snapshot) {
            jobs = snapshot.map(LiveJobs::of).orElseGet(LiveJobs::new);
        }

        @Override
        public void current() {
            current = true;
            consumers.add(
                    new SimConsumer(
                            SimMonitor.this,
                            World.TOPICS.progress(),
                            Math.max(0, world.transport.end(World.TOPICS.progress()) - 20),
                            this::signals));
            for (LiveJob job : jobs.all()) {
                for (int index = 0; index < job.instances().size(); index++) {
                    awaitSignals(job.id(), index, BACKLOG_MILLIS);
                }
            }
        }

        @Override
        public boolean concerns(String type) {
            return LiveJobs.concerns(type);
        }

        @Override
        public void fact(Event event) {
            jobs.apply(event);
            if (current && event instanceof Event.InstanceExited exited && exited.exitCode() > 0) {
                awaitSignals(exited.job(), exited.index(), PATIENCE_MILLIS);
            }
        }

        private void awaitSignals(JobId id, int index, long patience) {
            LiveJob job = jobs.get(id);
            if (job == null || job.instance(index).exitCode() <= 0) {
                return;
            }
            int attempt = job.attempt();
            int incarnation = job.incarnation();
            int processStart = job.processStart();
            later(
                    job.failed() == null ? patience : 0,
                    () ->
                            execute(() -> {
                                LiveJob later = jobs.get(id);
                                if (later != null
                                        && later.attempt() == attempt
                                        && later.incarnation() == incarnation
                                        && later.processStart() == processStart) {
                                    verdicts.exited(later, index);
                                }
                            }));
        }

        private Future<Void> signals(List<ConsumerRecord<String, byte[]>> batch) {
            execute(() -> batch.forEach(each -> take(ProgressRecord.read(each))));
            return Future.succeededFuture();
        }

        private void take(ProgressRecord record) {
            if (record.shardEpoch() < jobs.shardEpoch()) {
                return;
            }
            Set<LiveJob> heard = new LinkedHashSet<>();
            for (ProgressRecord.Signal each : record.signals()) {
                LiveJob job = jobs.get(each.instance().job());
                if (job != null && job.saw(each)) {
                    heard.add(job);
                }
            }
            heard.forEach(verdicts::look);
        }

        private void afterBatch() {
            if (!stopped && alive() && !feed.flush() && !flushing) {
                flushing = true;
                later(FLUSH_MILLIS, () -> execute(() -> flushing = false));
            }
        }

        @Override
        public Future<Void> stop() {
            stopped = true;
            timers.forEach(SimMonitor.this::cancel);
            consumers.forEach(SimConsumer::close);
            return lane.close();
        }
    }
}
