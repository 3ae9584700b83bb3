package dev.muster.simulation;

import dev.muster.domain.Event;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSpec;
import dev.muster.domain.Message;
import dev.muster.domain.PoolSnapshot;
import dev.muster.domain.Report;
import dev.muster.executor.BackendSession;
import dev.muster.executor.DesiredState;
import dev.muster.executor.InstanceChange;
import dev.muster.executor.Reconciler;
import dev.muster.platform.codec.JobSpecJson;
import dev.muster.platform.kafka.LaneRoute;
import dev.muster.platform.kafka.ProgressRecord;
import dev.muster.platform.lease.LeaseOwner;

import io.vertx.core.Future;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** An executor: the real lease owner, facts, reconciler and lane, over the simulated backend. */
final class SimExecutor extends SimProcess {

    private static final long RESYNC_MILLIS = 5_000;
    private static final long PROGRESS_MILLIS = 4_000;

    SimExecutor(World world, String name) {
        super(world, name);
    }

    @Override
    void begin() {
        LeasedTerm.lead(this, "executor", Term::new);
    }

    /** One epoch of the shard, as {@code ShardTerm} has it. */
    private final class Term extends LeasedTerm implements Reconciler.Specs {

        private final long epoch;
        private final BackendSession session;
        private final Reconciler reconciler;
        private final Map<JobId, JobSpec> specs = new TreeMap<>();
        private final Set<JobId> wanted = new LinkedHashSet<>();

        Term(LeaseOwner.Ownership ownership) {
            super(
                    SimExecutor.this,
                    LaneRoute.ofExecutor(name, World.POOL, ownership.epoch(), World.TOPICS, 0),
                    "executor.report.sent",
                    ownership);
            this.epoch = ownership.epoch();
            this.session = world.backend.open(process, change -> execute(() -> changed(change)));
            this.reconciler =
                    new Reconciler(
                            new Reconciler.Means(
                                    epoch, session, this::report, this, world.uncounted));
        }

        private void report(Message message) {
            feed.add(world.plant.reported(message));
        }

        @Override
        void open() {
            every(RESYNC_MILLIS, reconciler::recheck);
            every(PROGRESS_MILLIS, this::progress);
            execute(this::introduce);
        }

        private void introduce() {
            report(new Report.ShardTaken(epoch, name));
            world.backend.nodes(epoch, this).forEach(this::report);
        }

        @Override
        public void begin(Optional<PoolSnapshot> snapshot) {
            reconciler.load(snapshot.map(DesiredState::of).orElseGet(DesiredState::new));
        }

        @Override
        public void current() {
            try {
                reconciler.begin(session.existing());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public boolean concerns(String type) {
            return DesiredState.concerns(type);
        }

        @Override
        public void fact(Event event) {
            reconciler.fact(event);
        }

        private void changed(InstanceChange change) {
            if (change instanceof InstanceChange.Signalled(ProgressRecord.Signal signal)) {
                send(List.of(signal));
            } else if (!world.plant.swallows(change)) {
                reconciler.change(change);
            }
        }

        private void progress() {
            try {
                send(session.signals());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            // a node's state is looked at as often
            world.backend.changedNodes(epoch, this).forEach(this::report);
        }

        private void send(List<ProgressRecord.Signal> signals) {
            if (!signals.isEmpty()) {
                ProgressRecord record =
                        new ProgressRecord(World.POOL, epoch, wallMillis(), signals);
                world.transport
                        .send(SimExecutor.this, record.toKafka(World.TOPICS.progress(), 0))
                        .onFailure(world::unheard);
            }
        }

        @Override
        public Reconciler.@Nullable Found get(JobId job, String hash) {
            JobSpec known = specs.get(job);
            if (known == null) {
                wanted.add(job);
                return null;
            }
            return new Reconciler.Found.Spec(known);
        }

        @Override
        public void fetch() {
            List<JobId> now = List.copyOf(wanted);
            wanted.clear();
            for (JobId job : now) {
                world.database
                        .execute(
                                SimExecutor.this,
                                "spec.read",
                                () -> Optional.ofNullable(world.database.lanes.spec(job)))
                        .onSuccess(found -> execute(() -> arrived(job, found)))
                        .onFailure(
                                _ -> later(500, () -> execute(() -> reconciler.specArrived(job))));
            }
        }

        private void arrived(JobId job, Optional<byte[]> canonical) {
            canonical.ifPresent(bytes -> specs.put(job, JobSpecJson.decode(bytes)));
            reconciler.specArrived(job);
        }

        @Override
        void act() {
            reconciler.reconcile();
        }

        @Override
        public Future<Void> stop() {
            session.close();
            world.trace(() -> name + " ends the term " + epoch);
            return super.stop();
        }
    }
}
