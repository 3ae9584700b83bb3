package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.domain.Event;
import dev.muster.domain.Input;
import dev.muster.domain.PoolId;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.JournalBody;
import dev.muster.platform.sql.Database;
import dev.muster.platform.sql.StatementFailed;
import dev.muster.platform.sql.Writer;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

class JournalIT {

    private static final PoolId POOL = new PoolId("public");
    private static final long LEASE_MILLIS = 2000;

    private final Servers servers = new Servers();
    private final Vertx vertx = Vertx.vertx();
    private Database database;
    private Journal journal;
    private Writer first;
    private Writer second;

    @BeforeEach
    void open() throws InterruptedException {
        database = Database.open(vertx, servers.sqlSettings());
        Awaited.get(database.migrate("scheduler"));
        journal = new Journal(database, POOL);
        first = database.writer("first");
        second = database.writer("second");
    }

    @AfterEach
    void close() throws InterruptedException {
        Awaited.get(first.close());
        Awaited.get(second.close());
        Awaited.get(database.close());
        Awaited.get(vertx.close());
        servers.close();
    }

    @Test
    void writesWhatIsReadBack() throws InterruptedException {
        Leadership leader = leader(first, "a");
        PoolHead head = taken(leader);
        assertThat(append(first, leader, batch(0, 3, Map.of("gateway/g/public", 3L)))).isTrue();
        assertThat(append(first, leader, batch(3, 1, Map.of("gateway/g/public", 4L)))).isTrue();

        List<JournalRow> rows = Awaited.get(journal.page(0));
        assertThat(rows).extracting(JournalRow::lastSeq).containsExactly(3L, 4L);
        assertThat(rows.getFirst().positions()).isEqualTo(Map.of("gateway/g/public", 3L));
        assertThat(rows.getFirst().epoch()).isEqualTo(head.epoch());
        assertThat(rows.getFirst().committed().events())
                .extracting(EncodedEvent::event)
                .containsExactly(absorbed(1), absorbed(2), absorbed(3));
        assertThat(Awaited.get(journal.page(3)))
                .extracting(JournalRow::firstSeq)
                .containsExactly(4L);
        assertThat(Awaited.get(journal.page(4))).isEmpty();
        PoolHead settled = Awaited.get(leader.settledHead());
        assertThat(settled.seq()).isEqualTo(4);
        assertThat(settled.offsets()).isEqualTo(Map.of("commands", 7L));
    }

    @Test
    void aLeaderWhoseEpochWasRaisedWritesNothing() throws InterruptedException {
        Leadership zombie = leader(first, "a");
        taken(zombie);
        append(first, zombie, batch(0, 1, Map.of()));
        Awaited.get(zombie.release());
        Leadership next = leader(second, "b");
        PoolHead head = taken(next);
        assertThat(head.seq()).isEqualTo(1);

        assertThat(append(first, zombie, batch(1, 1, Map.of()))).isFalse();
        assertThat(Awaited.get(zombie.renew(1))).isFalse();
        assertThat(append(second, next, batch(1, 1, Map.of()))).isTrue();
        assertThat(append(first, zombie, batch(2, 1, Map.of()))).isFalse();
        assertThat(Awaited.get(journal.page(0))).hasSize(2);
    }

    @Test
    void anAppendAfterAnotherSeqThanTheHeadsWritesNothing() throws InterruptedException {
        Leadership leader = leader(first, "a");
        taken(leader);
        assertThat(append(first, leader, batch(0, 2, Map.of()))).isTrue();
        assertThat(append(first, leader, batch(0, 2, Map.of()))).isFalse();
        assertThat(append(first, leader, batch(3, 2, Map.of()))).isFalse();
        assertThat(Awaited.get(journal.page(0))).hasSize(1);
    }

    @Test
    void aStandbyWaitsForTheLeaseAndTheSameIdDoesNot() throws InterruptedException {
        taken(leader(first, "a"));
        assertThat(Awaited.get(leader(second, "b").take(1))).isEmpty();
        Leadership restarted = leader(second, "a");
        assertThat(taken(restarted).epoch()).isEqualTo(2);
    }

    @Test
    void aProcessThatItsOwnIdOvertookDoesNotTakeThePoolBack() throws InterruptedException {
        Leadership paused = leader(first, "a");
        taken(paused);
        Leadership restarted = leader(second, "a");
        taken(restarted);
        assertThat(Awaited.get(paused.take(1))).isEmpty();
        assertThat(Awaited.get(restarted.renew(1))).isTrue();
    }

    @Test
    void aLeaseEndsByTheServersClock() throws InterruptedException {
        Leadership brief = new Leadership(first, POOL, "a", 1);
        Awaited.get(brief.declare());
        taken(brief);
        Leadership next = leader(second, "b");
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        Optional<PoolHead> head = Awaited.get(next.take(1));
        while (head.isEmpty() && System.nanoTime() < deadline) {
            head = Awaited.get(next.take(1));
        }
        assertThat(head).isPresent();
    }

    @Test
    void anAppendThatIsStillRunningIsWaitedForAndThenSeen() throws InterruptedException {
        Leadership leader = leader(first, "a");
        taken(leader);
        // holds the head as a statement does whose answer was lost
        Future<Void> slow =
                database.transaction(c ->
                        c.preparedQuery("UPDATE scheduler.pool_head SET seq = 9 WHERE pool = $1")
                                .execute(Tuple.of(POOL.value()))
                                .compose(_ -> c.query("SELECT pg_sleep(0.5)").execute())
                                .mapEmpty());
        awaitLock();
        assertThat(Awaited.get(leader(second, "a").settledHead()).seq()).isEqualTo(9);
        Awaited.get(slow);
    }

    private void awaitLock() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (System.nanoTime() < deadline) {
            Row row =
                    Awaited.get(
                                    database.query(
                                            "SELECT count(*) AS n FROM pg_stat_activity WHERE query"
                                                + " = 'SELECT pg_sleep(0.5)' AND state = 'active'"))
                            .iterator()
                            .next();
            if (row.getLong("n") == 1) {
                return;
            }
        }
        throw new AssertionError("the lock was not taken");
    }

    @Test
    void aConnectionCutDuringAnAppendHasAnUnknownOutcomeAndTheNextEpochSeesTheTruth()
            throws InterruptedException {
        Leadership leader = leader(first, "a");
        taken(leader);
        Future<Boolean> append =
                journal.append(first, leader.epoch(), batch(0, 1, Map.of()), leader.lease(1));
        Awaited.get(
                database.query(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE"
                                + " application_name = 'muster first'"));
        boolean known = false;
        try {
            known = Awaited.get(append);
        } catch (StatementFailed e) {
            assertThat(e.outcome()).isNotEqualTo(StatementFailed.Outcome.REFUSED);
        }
        Leadership again = leader(second, "a");
        PoolHead head = taken(again);
        List<JournalRow> rows = Awaited.get(journal.page(0));
        assertThat(rows).hasSize((int) head.seq());
        assertThat(known).isEqualTo(known && head.seq() == 1);
        assertThat(append(first, leader, batch(head.seq(), 1, Map.of()))).isFalse();
        assertThat(append(second, again, batch(head.seq(), 1, Map.of()))).isTrue();
    }

    @Test
    void pagesAreBoundedAndComplete() throws InterruptedException {
        Awaited.get(
                database.query(
                        """
                        INSERT INTO scheduler.journal
                        SELECT 'public', i, i, now(), 1, 1, 1, 1, '{}', 'x'
                        FROM generate_series(1, 1500) AS i\
                        """));
        List<JournalRow> page = Awaited.get(journal.page(0));
        assertThat(page).hasSize(1000);
        assertThat(Awaited.get(journal.page(1000))).hasSize(500);
    }

    @Test
    void rowsGoToThePartitionOfTheirWeek() throws InterruptedException {
        Leadership leader = leader(first, "a");
        taken(leader);
        append(first, leader, batch(0, 1, Map.of()));
        Awaited.get(journal.makePartitions(3));
        Awaited.get(journal.makePartitions(3));
        Row row =
                Awaited.get(
                                database.query(
                                        "SELECT (SELECT count(*) FROM scheduler.journal_other) AS"
                                                + " other, (SELECT count(*) FROM pg_inherits WHERE"
                                                + " inhparent = 'scheduler.journal'::regclass) AS"
                                                + " partitions"))
                        .iterator()
                        .next();
        assertThat(row.getLong("other")).isZero();
        assertThat(row.getLong("partitions")).isEqualTo(5);
    }

    private Leadership leader(Writer writer, String id) throws InterruptedException {
        Leadership leadership = new Leadership(writer, POOL, id, LEASE_MILLIS);
        Awaited.get(leadership.declare());
        return leadership;
    }

    private static PoolHead taken(Leadership leadership) throws InterruptedException {
        return Awaited.get(leadership.take(1)).orElseThrow();
    }

    private boolean append(Writer writer, Leadership leadership, Batch batch)
            throws InterruptedException {
        return Awaited.get(journal.append(writer, leadership.epoch(), batch, leadership.lease(1)));
    }

    private static Event absorbed(int count) {
        return new Event.InputsAbsorbed(count);
    }

    private static Batch batch(long previousSeq, int events, Map<String, Long> positions) {
        List<EncodedEvent> encoded =
                java.util.stream.IntStream.rangeClosed(1, events)
                        .mapToObj(i -> EncodedEvent.of(absorbed(i)))
                        .toList();
        CommittedRow row =
                new CommittedRow(previousSeq + 1, previousSeq + events, 1, positions, encoded);
        return new Batch(
                LaneVector.write(positions),
                LaneVector.write(Map.of("commands", 7L)),
                JournalBody.encode(List.of(new Input.Tick(1)), encoded),
                row);
    }
}
