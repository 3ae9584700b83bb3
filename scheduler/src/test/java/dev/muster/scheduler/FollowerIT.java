package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.platform.run.ServiceRunner;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** The follower beside a real PostgreSQL: whoever waits for its core is told how that went. */
class FollowerIT {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Servers servers = new Servers();
    private ServiceRunner around;
    private PoolContext context;
    private SnapshotStore snapshots;

    @BeforeEach
    void prepare() throws InterruptedException {
        around = ServiceRunner.prepare(servers.settings());
        Awaited.get(around.context().database().migrate("scheduler"));
        context = PoolContext.of(around.context(), Workload.POOL, 0);
        snapshots = new SnapshotStore(around.context().database(), Workload.POOL);
    }

    @AfterEach
    void close() {
        around.close();
        servers.close();
    }

    @Test
    void outlivesAnErrorAndTellsWhoeverWaitsForItsCore() throws InterruptedException {
        Awaited.get(
                around.context()
                        .database()
                        .query(
                                """
                                INSERT INTO scheduler.snapshot
                                  (pool, seq, state_hash, positions, body, code_version)
                                VALUES ('public', 5, $1, '{}', $1, 2)\
                                """,
                                Tuple.of(Buffer.buffer("no snapshot"))));
        AtomicInteger loads = new AtomicInteger();
        Follower follower =
                follower(() -> {
                    if (loads.getAndIncrement() < 2) {
                        throw new OutOfMemoryError("planned");
                    }
                });
        Future<Void> first = follower.warm();
        Future<PoolFold> heir = follower.handOver();
        follower.start();
        await().atMost(PATIENCE).until(() -> first.failed() && heir.failed());
        assertThat(first.cause()).hasMessageContaining("planned");
        Future<PoolFold> next = retried(follower);
        await().atMost(PATIENCE).until(next::isComplete);
        assertThat(next.result().core().seq()).isZero();
        assertThat(loads).hasValueGreaterThanOrEqualTo(3);
        follower.stop();
    }

    @Test
    void refusesWhoeverAsksForItsCoreAfterItsEnd() throws InterruptedException {
        Follower follower = follower(() -> {});
        follower.start();
        Awaited.get(follower.warm());
        follower.stop();
        assertThatThrownBy(() -> Awaited.get(follower.warm())).hasMessageContaining("has stopped");
        assertThatThrownBy(() -> Awaited.get(follower.handOver()))
                .hasMessageContaining("has stopped");
    }

    /** Asks as the loop does: again after each failure. */
    private static Future<PoolFold> retried(Follower follower) {
        return follower.warm().compose(_ -> follower.handOver()).recover(_ -> retried(follower));
    }

    private Follower follower(Runnable unreadable) {
        StateLoader loader =
                new StateLoader(Workload.POOL, context.journal(), snapshots, unreadable);
        return new Follower(context, loader, snapshots, () -> false);
    }
}
