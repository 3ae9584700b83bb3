package dev.muster.simulation;

import dev.muster.domain.Event;
import dev.muster.domain.PoolSnapshot;
import dev.muster.monitor.ExitClassification;
import dev.muster.monitor.LiveJobs;
import dev.muster.monitor.Verdicts;
import dev.muster.platform.kafka.LaneRoute;
import dev.muster.platform.kafka.ProgressRecord;
import dev.muster.platform.lease.LeaseOwner;

import io.vertx.core.Future;

import org.apache.kafka.clients.consumer.ConsumerRecord;

import java.util.List;
import java.util.Optional;

/** A monitor: the real lease owner, facts, detectors, verdicts and lane. */
final class SimMonitor extends SimProcess {

    private static final long BACKLOG_MILLIS = 2_000;
    private static final long PATIENCE_MILLIS = 500;
    private static final long PROGRESS_WINDOW_MILLIS = 20_000;

    private static final Verdicts.Meter UNCOUNTED =
            new Verdicts.Meter() {
                @Override
                public void hung(long delayMillis) {}

                @Override
                public void exited(ExitClassification found) {}

                @Override
                public void signal(boolean current) {}
            };

    SimMonitor(World world, String name) {
        super(world, name);
    }

    @Override
    void begin() {
        LeasedTerm.lead(this, "monitor", Term::new);
    }

    /** One epoch, as {@code MonitorTerm} has it. */
    private final class Term extends LeasedTerm {

        private final Verdicts verdicts;
        private LiveJobs jobs = new LiveJobs();
        private boolean current;

        Term(LeaseOwner.Ownership ownership) {
            super(
                    SimMonitor.this,
                    LaneRoute.ofMonitor(name, World.POOL, ownership.epoch(), World.TOPICS, 0),
                    "monitor.verdict.sent",
                    ownership);
            this.verdicts = new Verdicts(PROGRESS_WINDOW_MILLIS, feed::add, UNCOUNTED);
        }

        @Override
        public void begin(Optional<PoolSnapshot> snapshot) {
            jobs = snapshot.map(LiveJobs::of).orElseGet(LiveJobs::new);
        }

        @Override
        public void current() {
            current = true;
            read(
                    World.TOPICS.progress(),
                    Math.max(0, world.transport.end(World.TOPICS.progress()) - 20),
                    this::signals);
            jobs.exits().forEach(exit -> awaitSignals(exit, BACKLOG_MILLIS));
        }

        @Override
        public boolean concerns(String type) {
            return LiveJobs.concerns(type);
        }

        @Override
        public void fact(Event event) {
            jobs.apply(event);
            if (current && event instanceof Event.InstanceExited exited && exited.exitCode() > 0) {
                jobs.exit(exited.job(), exited.index())
                        .ifPresent(exit -> awaitSignals(exit, PATIENCE_MILLIS));
            }
        }

        private void awaitSignals(LiveJobs.Exit exit, long patience) {
            later(exit.explained() ? 0 : patience, () -> execute(() -> verdicts.judge(jobs, exit)));
        }

        private Future<Void> signals(List<ConsumerRecord<String, byte[]>> batch) {
            execute(() -> {
                for (ConsumerRecord<String, byte[]> each : batch) {
                    verdicts.heard(jobs, ProgressRecord.read(each), true);
                }
            });
            return Future.succeededFuture();
        }
    }
}
