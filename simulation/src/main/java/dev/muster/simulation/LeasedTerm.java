package dev.muster.simulation;

import dev.muster.platform.journal.PoolFacts;
import dev.muster.platform.kafka.LaneFeed;
import dev.muster.platform.kafka.LaneRoute;
import dev.muster.platform.kafka.LaneSender;
import dev.muster.platform.lease.LeaseOwner;

import io.vertx.core.Future;

import org.apache.kafka.clients.consumer.ConsumerRecord;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * One epoch of a process that holds a lease: follows the pool's facts and has a lane of its own,
 * both real. Its work is done piece by piece; after each, what there is to say goes to the lane.
 */
abstract class LeasedTerm implements LeaseOwner.Term, PoolFacts.Sink, Executor {

    private static final int LEASE_MILLIS = 4_000;
    private static final long LOOK_MILLIS = 2_000;
    private static final long FLUSH_MILLIS = 100;

    final SimProcess process;
    final World world;
    final LaneFeed feed;
    private final LaneSender lane;
    private final PoolFacts facts;
    private final List<SimConsumer> consumers = new ArrayList<>();
    private final List<Long> timers = new ArrayList<>();
    private boolean flushing;
    private boolean stopped;

    LeasedTerm(
            SimProcess process, LaneRoute route, String failpoint, LeaseOwner.Ownership ownership) {
        this.process = process;
        this.world = process.world;
        this.lane = LaneSender.open(route, world.lane(process, null), 0);
        this.feed = new LaneFeed(lane, World.LANE_WINDOW, failpoint, ownership.fail());
        this.facts = new PoolFacts(process, new SimFacts(process), World.POOL, this, this);
    }

    /** Asks for the lease of a role, for as long as the process lives. */
    static void lead(
            SimProcess process,
            String role,
            Function<LeaseOwner.Ownership, LeaseOwner.Term> terms) {
        World world = process.world;
        new LeaseOwner(
                        process,
                        role,
                        new LeaseTable.Client(world.database, process, role, LEASE_MILLIS),
                        LEASE_MILLIS,
                        terms)
                .start()
                .onFailure(cause -> world.oracle.broken(process, cause));
    }

    @Override
    public final void execute(Runnable work) {
        process.execute(() -> {
            if (!stopped) {
                work.run();
                afterBatch();
            }
        });
    }

    @Override
    public final void start() {
        every(LOOK_MILLIS, facts::look);
        open();
        read(World.TOPICS.events(), world.transport.end(World.TOPICS.events()), facts::records);
        execute(facts::begin);
    }

    /** What is planned and said first. */
    void open() {}

    /** What follows from a piece of work. */
    void act() {}

    final void every(long millis, Runnable work) {
        timers.add(process.every(millis, () -> execute(work)));
    }

    final void read(
            String topic,
            long from,
            Function<List<ConsumerRecord<String, byte[]>>, Future<Void>> handler) {
        consumers.add(new SimConsumer(process, topic, from, handler));
    }

    private void afterBatch() {
        if (stopped || !process.alive()) {
            return;
        }
        act();
        if (!feed.flush() && !flushing) {
            flushing = true;
            process.later(FLUSH_MILLIS, () -> execute(() -> flushing = false));
        }
    }

    @Override
    public Future<Void> stop() {
        stopped = true;
        timers.forEach(process::cancel);
        consumers.forEach(SimConsumer::close);
        return lane.close();
    }
}
