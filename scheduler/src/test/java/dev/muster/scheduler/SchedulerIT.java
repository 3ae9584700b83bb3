package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.github.luben.zstd.Zstd;

import dev.muster.domain.Command;
import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.domain.LaneId;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.http.InternalClient;
import dev.muster.platform.kafka.EventRecord;
import dev.muster.platform.kafka.LaneRecord;
import dev.muster.platform.run.ServiceRunner;
import dev.muster.platform.sql.Database;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;

class SchedulerIT {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Servers servers = new Servers();
    private final Settings settings = servers.settings();
    private final List<JobId> jobs = new ArrayList<>();
    private ServiceRunner around;
    private Workload workload;
    private Database database;

    @BeforeEach
    void prepare() {
        around = ServiceRunner.prepare(settings);
        database = around.context().database();
        workload = new Workload(around, 4);
    }

    @AfterEach
    void close() {
        workload.close();
        around.close();
        servers.close();
    }

    @Test
    void takesJobsToTheirEndAndReplaysToTheSameState() throws InterruptedException {
        around.start(new SchedulerService());
        submit(100);
        awaitEnd();
        assertSound();
    }

    @Test
    void leaderFollowerAndReplayAgree() throws InterruptedException {
        around.start(new SchedulerService());
        submit(20);
        awaitEnd();
        JsonObject leader = ask("leader");
        await().atMost(PATIENCE)
                .until(() -> ask("state").getLong("seq").equals(leader.getLong("seq")));
        assertThat(ask("state")).isEqualTo(leader);
        assertThat(replay().stateHash()).isEqualTo(leader.getString("hash"));
        assertThat(replay().seq()).isEqualTo(leader.getLong("seq"));
    }

    @Test
    void goesOnFromItsSnapshotAfterACleanStop() throws InterruptedException {
        try (ServiceRunner first = ServiceRunner.prepare(settings)) {
            first.start(new SchedulerService());
            submit(20);
            awaitEnd();
        }
        long snapshot = one("SELECT max(seq) AS n FROM scheduler.pub_snapshot");
        assertThat(snapshot).isEqualTo(one("SELECT seq AS n FROM scheduler.pub_pool_head"));
        around.start(new SchedulerService());
        submit(20);
        awaitEnd();
        assertThat(ask("leader").getString("hash")).isEqualTo(replay().stateHash());
        assertSound();
    }

    @Test
    void anUnreadableSnapshotIsPassedOver() throws InterruptedException {
        try (ServiceRunner first = ServiceRunner.prepare(settings)) {
            first.start(new SchedulerService());
            submit(20);
            awaitEnd();
        }
        Awaited.get(
                database.query(
                        """
                        UPDATE scheduler.snapshot_part SET body = set_byte(body, 40,
                          get_byte(body, 40) # 1)\
                        """));
        around.start(new SchedulerService());
        submit(5);
        awaitEnd();
        assertThat(count("muster.scheduler.snapshots.unreadable")).isPositive();
        assertSound();
    }

    @Test
    void refusesAJournalOfALaterVersionInWords() throws InterruptedException {
        try (ServiceRunner first = ServiceRunner.prepare(settings)) {
            first.start(new SchedulerService());
            submit(1);
            awaitEnd();
        }
        foreignRow(7, "InputsAbsorbed", "{\"count\":1}");
        assertThatThrownBy(() -> around.start(new SchedulerService()))
                .hasMessageContaining("pool public cannot be led")
                .hasMessageContaining("was written by code version 7")
                .hasMessageContaining("this is code version " + JournalRow.CODE_VERSION);
        assertThat(replay().findings()).hasSize(1).first().asString().contains("code version 7");
    }

    @Test
    void refusesAnEventThatItDoesNotKnowInWords() throws InterruptedException {
        try (ServiceRunner first = ServiceRunner.prepare(settings)) {
            first.start(new SchedulerService());
            submit(1);
            awaitEnd();
        }
        foreignRow(JournalRow.CODE_VERSION, "JobTeleported", "{}");
        assertThatThrownBy(() -> around.start(new SchedulerService()))
                .hasMessageContaining("pool public cannot be led")
                .hasMessageContaining("JobTeleported");
        assertThat(replay().findings()).hasSize(1).first().asString().contains("JobTeleported");
    }

    private void foreignRow(int codeVersion, String type, String data) throws InterruptedException {
        String body =
                "{\"events\":[{\"data\":" + data + ",\"type\":\"" + type + "\"}],\"inputs\":[]}";
        Awaited.get(
                database.query(
                        """
                        WITH head AS (UPDATE scheduler.pool_head SET seq = seq + 1 RETURNING *)
                        INSERT INTO scheduler.journal
                        SELECT pool, seq, seq, now(), at_ms, epoch, $2, 1, positions, $1 FROM head\
                        """,
                        Tuple.of(
                                Buffer.buffer(Zstd.compress(body.getBytes(StandardCharsets.UTF_8))),
                                codeVersion)));
    }

    @Test
    void aRecordThatNobodyCanReadHoldsUpNoLane() throws InterruptedException {
        around.start(new SchedulerService());
        JobId lost = JobId.of(UUID.randomUUID());
        LaneId lane = new LaneId("gateway/p/public");
        workload.raw(new LaneRecord(Workload.POOL, lane, 1, "SubmitJob", lost.toString(), junk()));
        workload.raw(new LaneRecord(Workload.POOL, lane, 2, "JobTeleporter", "", junk()));
        String topic = around.context().kafka().topics().commands();
        workload.raw(new ProducerRecord<>(topic, 0, null, junk()));
        Command stop = new Command.StopJob("c-1", lost, "alice", "no longer wanted");
        workload.raw(LaneRecord.of(Workload.POOL, lane, 3, stop));
        await().atMost(PATIENCE).until(() -> types().contains("CommandRefused"));
        assertThat(workload.ended()).containsEntry(lost, "JobFailed");
        assertThat(replay().positions()).containsEntry(lane.value(), 3L);
        assertThat(count("muster.scheduler.poison")).isEqualTo(3);
        assertThat(redecide()).isEmpty();
    }

    @Test
    void aGapOnALaneIsDroppedUntilWhatIsMissingComes() throws InterruptedException {
        around.start(new SchedulerService());
        LaneId lane = new LaneId("gateway/q/public");
        for (long n : new long[] {2, 1, 1, 2}) {
            Command stop =
                    new Command.StopJob("c-" + n, JobId.of(UUID.randomUUID()), "alice", "no");
            workload.raw(LaneRecord.of(Workload.POOL, lane, n, stop));
        }
        await().atMost(PATIENCE)
                .until(() -> replay().positions().getOrDefault(lane.value(), 0L) == 2);
        assertThat(count("muster.scheduler.gaps")).isEqualTo(1);
        assertThat(count("muster.scheduler.repeats")).isPositive();
    }

    @Test
    void goesOnWhenItsTopicsAreDeletedAndMadeAnew()
            throws InterruptedException, ExecutionException {
        around.start(new SchedulerService());
        submit(20);
        awaitEnd();
        await().atMost(PATIENCE).until(() -> workload.seen().size() == replay().seq());
        try (Admin admin = Admin.create(around.context().kafka().client())) {
            admin.deleteTopics(around.context().kafka().topics().all()).all().get();
        }
        submit(20);
        await().atMost(PATIENCE)
                .until(() -> {
                    around.context().kafka().createTopics();
                    return true;
                });
        awaitEnd();
        assertSound();
    }

    @Test
    void losesAndDoublesNothingWhileItsConnectionsAreCut() throws InterruptedException {
        try (CuttingProxy proxy =
                new CuttingProxy(settings.get(PlatformSettings.SQL_PORT), "gateway/g/public")) {
            Settings through = settings.with(PlatformSettings.SQL_PORT, proxy.port());
            try (ServiceRunner runner = ServiceRunner.prepare(through)) {
                runner.start(new SchedulerService());
                submit(10);
                awaitEnd();
                int cuts = 0;
                for (CuttingProxy.Cut cut : CuttingProxy.Cut.values()) {
                    for (int i = 0; i < 3; i++) {
                        proxy.arm(cut);
                        submit(20);
                        int wanted = ++cuts;
                        await().atMost(PATIENCE).until(() -> proxy.cuts() == wanted);
                    }
                }
                awaitEnd();
            }
        }
        assertSound();
        assertThat(one("SELECT epoch AS n FROM scheduler.pub_pool_head")).isGreaterThan(3);
    }

    private void submit(int count) {
        for (int i = 0; i < count; i++) {
            jobs.add(workload.submit(1 + i % 3));
        }
    }

    private void awaitEnd() {
        await().atMost(PATIENCE).until(() -> workload.ended().keySet().containsAll(jobs));
    }

    private void assertSound() throws InterruptedException {
        JournalReplay.Result result = replay();
        assertThat(result.findings()).isEmpty();
        assertThat(result.jobs()).containsOnlyKeys(jobs);
        assertThat(result.jobsByState()).containsOnlyKeys(JobState.SUCCEEDED);
        assertThat(result.starts().values()).containsOnly(1);
        await().atMost(PATIENCE).until(() -> workload.seen().size() == replay().seq());
        assertThat(workload.holes()).isZero();
        assertThat(redecide()).isEmpty();
    }

    private List<String> types() {
        return workload.seen().values().stream().map(EventRecord::type).toList();
    }

    private static byte[] junk() {
        return "{\"ask\":".getBytes(StandardCharsets.UTF_8);
    }

    private JournalReplay.Result replay() throws InterruptedException {
        return new JournalReplay(database, Workload.POOL).run();
    }

    private List<String> redecide() throws InterruptedException {
        return new JournalReplay(database, Workload.POOL).redecide();
    }

    private double count(String meter) {
        return around.context().meters().get(meter).counter().count();
    }

    private long one(String sql) throws InterruptedException {
        Row row = Awaited.get(database.query(sql)).iterator().next();
        return row.getLong("n");
    }

    private JsonObject ask(String what) throws InterruptedException {
        InternalClient client = new InternalClient(around.context().vertx(), settings);
        String url = Awaited.get(around.context().directory().find("scheduler")).getFirst().url();
        JsonObject answer =
                Awaited.get(
                        client.request(HttpMethod.GET, url, "/internal/v1/pools/public/" + what)
                                .compose(request -> request.send())
                                .compose(HttpClientResponse::body)
                                .map(Buffer::toJsonObject));
        Awaited.get(client.close());
        return answer;
    }
}
