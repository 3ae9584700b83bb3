package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.domain.JobId;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.journal.FactSource;
import dev.muster.platform.journal.JournalReader;
import dev.muster.platform.run.ServiceRunner;

import io.vertx.sqlclient.Row;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Old weeks of the journal move to the object store, and nobody who reads it can tell. */
class RollIT {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int KILLED = 137;

    @TempDir private Path folder;

    private final Servers servers = new Servers();
    private Settings settings;
    private ServiceRunner around;
    private Workload workload;

    @BeforeEach
    void prepare() {
        settings =
                servers.settings()
                        .with(SchedulerSettings.SNAPSHOT_EVENTS, 1)
                        .with(SchedulerSettings.ROLL_SECONDS, 1)
                        .with(PlatformSettings.JOURNAL_STORE, folder.toString());
        around = ServiceRunner.prepare(settings);
        workload = new Workload(around, 4);
    }

    @AfterEach
    void close() {
        workload.close();
        around.close();
        servers.close();
    }

    @Test
    void aWholeJournalIsReadWhereverRollingWasKilled() throws InterruptedException {
        runJobs(20);
        run(
                "DELETE FROM scheduler.snapshot WHERE seq < (SELECT max(seq) FROM"
                        + " scheduler.pool_head)");
        long old = query("SELECT seq - 5 AS n FROM scheduler.snapshot");
        // one week that has a partition, one among those without
        age(old / 2, 12, true);
        age(old, 10, false);
        JournalReplay.Result before = replay();
        assertThat(before.findings()).isEmpty();
        long oldRows =
                query(
                        "SELECT count(*) AS n FROM scheduler.journal WHERE at < now() - interval '9"
                                + " weeks'");
        assertThat(oldRows).isGreaterThan(2);

        for (String step : RollStep.names()) {
            try (SchedulerProcess doomed = process(step)) {
                assertThat(doomed.awaitExit(PATIENCE.toSeconds())).as(step).isEqualTo(KILLED);
            }
            assertSame(before);
        }
        try (SchedulerProcess _ = process("")) {
            await().atMost(PATIENCE).until(() -> weeks() == 2);
        }

        assertThat(query("SELECT sum(rows)::bigint AS n FROM scheduler.pub_rolled_part"))
                .isEqualTo(oldRows);
        assertThat(
                        query(
                                "SELECT count(*) AS n FROM scheduler.journal WHERE at < now() -"
                                        + " interval '9 weeks'"))
                .isZero();
        assertThat(
                        query(
                                "SELECT count(*) AS n FROM pg_class WHERE relname = '"
                                        + partition(12)
                                        + "'"))
                .isZero();
        assertSame(before);
        // those who led meanwhile have added rows
        assertThat(facts()).isEqualTo(replay().rows());
    }

    @Test
    void aSchedulerWithoutSnapshotsFoldsWhatWasRolledAndGoesOn() throws InterruptedException {
        runJobs(10);
        run(
                "DELETE FROM scheduler.snapshot WHERE seq < (SELECT max(seq) FROM"
                        + " scheduler.pool_head)");
        age(query("SELECT seq - 5 AS n FROM scheduler.snapshot"), 10, false);
        rollAll(1);
        run("DELETE FROM scheduler.snapshot");

        runJobs(10);

        JournalReplay.Result after = replay();
        assertThat(after.findings()).isEmpty();
        assertThat(after.jobs()).hasSize(20);
    }

    @Test
    void aDamagedOrMissingPartIsNamed() throws InterruptedException, IOException {
        runJobs(10);
        run(
                "DELETE FROM scheduler.snapshot WHERE seq < (SELECT max(seq) FROM"
                        + " scheduler.pool_head)");
        age(query("SELECT seq - 5 AS n FROM scheduler.snapshot"), 10, false);
        rollAll(1);
        Path part = part();
        byte[] content = Files.readAllBytes(part);
        content[content.length / 2] ^= 1;
        Files.write(part, content);

        assertThat(replay().findings())
                .singleElement()
                .asString()
                .contains(part.getFileName().toString(), "is damaged", "backup");

        Files.delete(part);
        assertThat(replay().findings())
                .singleElement()
                .asString()
                .contains(part.getFileName().toString(), "cannot be read", "does not exist");
    }

    @Test
    void aWeekStaysWhileASnapshotOrAReaderNeedsIt() throws Exception {
        runJobs(10);
        age(query("SELECT seq AS n FROM scheduler.pool_head"), 10, false);
        String head = "(SELECT max(seq) FROM scheduler.pool_head)";
        run(
                "INSERT INTO scheduler.snapshot (pool, seq, state_hash, positions, code_version)"
                        + " SELECT pool, 1, state_hash, positions, code_version FROM"
                        + " scheduler.snapshot LIMIT 1 ON CONFLICT DO NOTHING");
        JournalRoll roll = new JournalRoll(around.context().database(), 8, () -> false);
        run("CREATE TABLE kept AS SELECT * FROM scheduler.snapshot WHERE seq > 1");
        run("DELETE FROM scheduler.snapshot WHERE seq > 1");
        assertThat(roll.run()).isZero();
        // the older one holds nothing back then
        run("INSERT INTO scheduler.snapshot SELECT * FROM kept");
        run("CREATE SCHEMA notifier");
        run("CREATE TABLE notifier.pub_position AS SELECT 'public' AS pool, 1::bigint AS seq");
        assertThat(roll.run()).isZero();
        JournalReplay.Result before = replay();

        run("UPDATE notifier.pub_position SET seq = " + head);

        assertThat(roll.run()).isEqualTo(1);
        // nothing of the pool is left in PostgreSQL: its end is read from the store, too
        assertThat(query("SELECT count(*) AS n FROM scheduler.journal")).isZero();
        assertSame(before);
    }

    /** As a server makes it in whose zone a day had 23 hours. */
    @Test
    void aPartitionIsTakenAsAWholeWhateverItsBounds() throws Exception {
        runJobs(10);
        run(
                "DELETE FROM scheduler.snapshot WHERE seq < (SELECT max(seq) FROM"
                        + " scheduler.pool_head)");
        long old = query("SELECT seq - 5 AS n FROM scheduler.snapshot");
        String early = text("(" + begins(12) + " - interval '1 hour')::text");
        run(
                "CREATE TABLE scheduler.%s PARTITION OF scheduler.journal FOR VALUES FROM ('%s') TO ('%s')"
                        .formatted(partition(12), early, week(11)));
        run("UPDATE scheduler.journal SET at = '" + early + "' WHERE last_seq <= " + old);
        long rows = query("SELECT count(*) AS n FROM scheduler." + partition(12));
        JournalReplay.Result before = replay();

        assertThat(new JournalRoll(around.context().database(), 8, () -> false).run()).isOne();

        assertThat(rows).isGreaterThan(1);
        assertThat(query("SELECT sum(rows)::bigint AS n FROM scheduler.pub_rolled_part"))
                .isEqualTo(rows);
        assertSame(before);
    }

    private void assertSame(JournalReplay.Result before) throws InterruptedException {
        JournalReplay.Result now = replay();
        assertThat(now.findings()).isEmpty();
        if (now.seq() == before.seq()) {
            assertThat(now.stateHash()).isEqualTo(before.stateHash());
            assertThat(now.rows()).isEqualTo(before.rows());
        }
        assertThat(now.jobs()).isEqualTo(before.jobs());
        assertThat(new JournalReplay(around.context().database(), Workload.POOL).redecide())
                .isEmpty();
    }

    private void runJobs(int count) throws InterruptedException {
        try (SchedulerProcess _ = process("")) {
            List<JobId> jobs = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                jobs.add(workload.submit(1));
            }
            await().atMost(PATIENCE).until(() -> workload.ended().keySet().containsAll(jobs));
            await().atMost(PATIENCE)
                    .until(() ->
                            query(
                                            "SELECT h.seq - max(s.seq) AS n FROM"
                                                    + " scheduler.pool_head h, scheduler.snapshot s"
                                                    + " GROUP BY h.seq")
                                    == 0);
        }
    }

    private void rollAll(long weeks) {
        try (SchedulerProcess _ = process("")) {
            await().atMost(PATIENCE).until(() -> weeks() == weeks);
        }
    }

    private long weeks() throws InterruptedException {
        return query("SELECT count(*) AS n FROM scheduler.pub_rolled_week");
    }

    /** The rows to a seq become older, those that are old stay as they are. */
    private void age(long seq, int weeks, boolean partition) throws InterruptedException {
        if (partition) {
            run(
                    ("CREATE TABLE scheduler.%s PARTITION OF scheduler.journal FOR VALUES FROM"
                                    + " ('%s') TO ('%s')")
                            .formatted(partition(weeks), week(weeks), week(weeks - 1)));
        }
        run(
                "UPDATE scheduler.journal SET at = '"
                        + week(weeks)
                        + "'::timestamptz + interval '1 day' WHERE last_seq <= "
                        + seq
                        + " AND at > now() - interval '1 week'");
    }

    private String partition(int weeks) throws InterruptedException {
        return "journal_"
                + text("to_char(" + begins(weeks) + " AT TIME ZONE 'UTC', 'IYYY\"w\"IW')");
    }

    private String week(int weeks) throws InterruptedException {
        return text(begins(weeks) + "::text");
    }

    private static String begins(int weeks) {
        return "(date_trunc('week', now(), 'UTC') - interval '" + weeks + " weeks')";
    }

    private Path part() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".zst")).findFirst().orElseThrow();
        }
    }

    /** Rows as other services read them, in order. */
    private long facts() throws InterruptedException {
        JournalReader reader =
                new JournalReader(
                        around.context().vertx(), around.context().database(), Workload.POOL);
        long seq = 0;
        long rows = 0;
        while (true) {
            List<FactSource.JournalRow> page = Awaited.get(reader.rowsAfter(seq, 7));
            if (page.isEmpty()) {
                return rows;
            }
            for (FactSource.JournalRow row : page) {
                assertThat(row.firstSeq()).isEqualTo(seq + 1);
                seq = row.lastSeq();
                rows++;
            }
        }
    }

    private JournalReplay.Result replay() throws InterruptedException {
        return new JournalReplay(around.context().database(), Workload.POOL).run();
    }

    private SchedulerProcess process(String crashAt) {
        return SchedulerProcess.start(settings, Servers.KEYS, crashAt);
    }

    private void run(String sql) throws InterruptedException {
        Awaited.get(around.context().database().query(sql));
    }

    private long query(String sql) throws InterruptedException {
        for (Row row : Awaited.get(around.context().database().query(sql))) {
            Long n = row.getLong("n");
            return n == null ? 0 : n;
        }
        return 0;
    }

    private String text(String expression) throws InterruptedException {
        return Awaited.get(around.context().database().query("SELECT " + expression + " AS t"))
                .iterator()
                .next()
                .getString("t");
    }
}
