package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.PoolCore;
import dev.muster.domain.Ask;
import dev.muster.domain.Command;
import dev.muster.domain.Input;
import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.domain.LaneId;
import dev.muster.domain.PoolId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.QueueId;
import dev.muster.domain.Resources;
import dev.muster.platform.codec.SnapshotCodec;
import dev.muster.platform.sql.Database;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** Snapshots in a real PostgreSQL. */
class SnapshotIT {

    private static final PoolId POOL = new PoolId("public");
    private static final Map<String, Long> POSITIONS = Map.of("gateway/g/public", 7L);

    /** What the version before the present format said of its golden file. */
    private static final String GOLDEN_HASH =
            "6075c5543207a533de27e03161ce005183f6f4ac505cd34e2b749e57f5d115db";

    private final Servers servers = new Servers();
    private final Vertx vertx = Vertx.vertx();
    private final AtomicInteger unreadable = new AtomicInteger();
    private Database database;
    private SnapshotStore store;
    private StateLoader loader;

    @BeforeEach
    void open() throws InterruptedException {
        database = Database.open(vertx, servers.sqlSettings());
        Awaited.get(database.migrate("scheduler"));
        store = new SnapshotStore(database, POOL);
        loader =
                new StateLoader(
                        POOL, new Journal(database, POOL), store, unreadable::incrementAndGet);
    }

    @AfterEach
    void close() throws InterruptedException {
        Awaited.get(database.close());
        Awaited.get(vertx.close());
        servers.close();
    }

    @Test
    void opensWhatTheFirstFormatWrote() throws IOException, InterruptedException {
        byte[] golden = golden();
        insert(28, golden, HexFormat.of().parseHex(GOLDEN_HASH));
        PoolFold state = loader.load();
        assertThat(state.core().seq()).isEqualTo(28);
        assertThat(state.positions()).isEqualTo(POSITIONS);
        assertThat(state.core().stateHash()).isEqualTo(HexFormat.of().parseHex(GOLDEN_HASH));
        assertThat(unreadable).hasValue(0);
    }

    @Test
    void writesTheSameStateInThePresentFormat() throws IOException, InterruptedException {
        PoolFold state = PoolFold.of(core(SnapshotCodec.decode(golden())), POSITIONS);
        SnapshotWriting.write(store, state, 3, () -> false);
        PoolFold loaded = loader.load();
        assertThat(loaded.core().snapshot()).isEqualTo(state.core().snapshot());
        assertThat(loaded.core().stateHash()).isEqualTo(HexFormat.of().parseHex(GOLDEN_HASH));
        loaded.core().checkInvariants();
        assertThat(SnapshotCodec.decode(published())).isEqualTo(state.core().snapshot());
    }

    @Test
    void passesOverAStateThatTheFirstFormatHashedOtherwise()
            throws IOException, InterruptedException {
        insert(28, golden(), new byte[32]);
        assertThat(loader.load().core().seq()).isZero();
        assertThat(unreadable).hasValue(1);
    }

    @Test
    void aSnapshotInSeveralPartsIsReadAsOne() throws InterruptedException {
        PoolFold state = PoolFold.of(large(150_000), POSITIONS);
        long bytes = SnapshotWriting.write(store, state, 3, () -> false);
        assertThat(one("SELECT count(*) AS n FROM scheduler.snapshot_part")).isGreaterThan(1);
        assertThat(one("SELECT sum(octet_length(body)) AS n FROM scheduler.pub_snapshot"))
                .isEqualTo(bytes);
        PoolFold loaded = loader.load();
        assertThat(loaded.core().count(JobState.QUEUED)).isEqualTo(150_000);
        assertThat(loaded.core().stateHash()).isEqualTo(state.core().stateHash());
    }

    @Test
    void fallsBackToTheSnapshotBeforeADamagedOne() throws InterruptedException {
        PoolCore core = large(10);
        SnapshotWriting.write(store, PoolFold.of(core, POSITIONS), 3, () -> false);
        long sound = core.seq();
        core.decide(submissions(10, 12));
        SnapshotWriting.write(store, PoolFold.of(core, POSITIONS), 3, () -> false);
        Awaited.get(
                database.query(
                        "UPDATE scheduler.snapshot_part SET body = set_byte(body, 60,"
                                + " get_byte(body, 60) # 1) WHERE seq = $1",
                        Tuple.of(core.seq())));
        assertThat(loader.load().core().seq()).isEqualTo(sound);
        assertThat(unreadable).hasValue(1);
        Awaited.get(database.query("DELETE FROM scheduler.snapshot_part"));
        assertThat(loader.load().core().seq()).isZero();
    }

    @Test
    void passesOverASnapshotOfALaterFormatOrCodeVersion() throws InterruptedException {
        PoolCore core = large(3);
        SnapshotWriting.write(store, PoolFold.of(core, POSITIONS), 3, () -> false);
        Awaited.get(
                database.query(
                        "UPDATE scheduler.snapshot SET code_version = $1",
                        Tuple.of(JournalRow.CODE_VERSION + 1)));
        assertThat(loader.load().core().seq()).isZero();
        Awaited.get(
                database.query(
                        "UPDATE scheduler.snapshot SET code_version = $1",
                        Tuple.of(JournalRow.CODE_VERSION)));
        assertThat(loader.load().core().seq()).isEqualTo(core.seq());
        Awaited.get(
                database.query("UPDATE scheduler.snapshot_part SET body = set_byte(body, 11, 9)"));
        assertThat(loader.load().core().seq()).isZero();
        assertThat(unreadable).hasValue(2);
    }

    @Test
    void anAbandonedSnapshotIsNotSeenAndItsPartsAreForgotten() throws InterruptedException {
        PoolCore core = large(5);
        PoolFold state = PoolFold.of(core, POSITIONS);
        AtomicInteger asked = new AtomicInteger();
        assertThatThrownBy(() ->
                        SnapshotWriting.write(store, state, 3, () -> asked.incrementAndGet() > 1))
                .isInstanceOf(SnapshotWriting.Abandoned.class);
        assertThat(one("SELECT count(*) AS n FROM scheduler.snapshot_part")).isEqualTo(1);
        assertThat(Awaited.get(store.seqs())).isEmpty();
        core.decide(submissions(5, 6));
        SnapshotWriting.write(store, PoolFold.of(core, POSITIONS), 3, () -> false);
        assertThat(Awaited.get(store.seqs())).containsExactly(core.seq());
        assertThat(one("SELECT count(DISTINCT seq) AS n FROM scheduler.snapshot_part"))
                .isEqualTo(1);
    }

    private static PoolCore core(dev.muster.domain.PoolSnapshot snapshot) {
        return PoolCore.load(snapshot, PoolContext.coreSettings());
    }

    private static PoolCore large(int jobs) {
        PoolCore core = PoolCore.empty(POOL, PoolContext.coreSettings());
        for (int from = 0; from < jobs; from += 10_000) {
            core.decide(submissions(from, Math.min(jobs, from + 10_000)));
        }
        return core;
    }

    private static List<Input> submissions(int from, int to) {
        List<Input> batch = new ArrayList<>();
        for (int i = from; i < to; i++) {
            Ask ask =
                    new Ask(
                            new JobId(i * 0xD6E8FEB86659FD93L, i * 0x9E3779B97F4A7C15L),
                            new ProjectId("vision"),
                            new QueueId("default"),
                            1 + i % 3,
                            1,
                            "",
                            new Resources(1000, 1024, 0),
                            0);
            batch.add(
                    new Input.Delivered(
                            new LaneId("gateway/g/public"),
                            i + 1L,
                            new Command.SubmitJob(ask, "job " + i, "ab".repeat(32), 1)));
        }
        batch.add(new Input.Tick(1));
        return batch;
    }

    private void insert(long seq, byte[] body, byte[] hash) throws InterruptedException {
        Awaited.get(
                database.query(
                        """
                        INSERT INTO scheduler.snapshot
                          (pool, seq, state_hash, positions, body, code_version)
                        VALUES ('public', $1, $2, $3::text::jsonb, $4, 2)\
                        """,
                        Tuple.of(
                                seq,
                                Buffer.buffer(hash),
                                LaneVector.write(POSITIONS),
                                Buffer.buffer(body))));
    }

    private static byte[] golden() throws IOException {
        try (InputStream file = SnapshotIT.class.getResourceAsStream("/golden/state.2.zst")) {
            return Objects.requireNonNull(file).readAllBytes();
        }
    }

    private byte[] published() throws InterruptedException {
        for (Row row : Awaited.get(database.query("SELECT body FROM scheduler.pub_snapshot"))) {
            return row.getBuffer("body").getBytes();
        }
        throw new AssertionError("nothing is published");
    }

    private long one(String sql) throws InterruptedException {
        return Awaited.get(database.query(sql)).iterator().next().getLong("n");
    }
}
