package dev.muster.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.muster.domain.PoolId;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.sql.ServiceDirectory.Entry;
import dev.muster.platform.sql.StatementFailed.Outcome;
import dev.muster.testkit.TestDatabase;
import dev.muster.testkit.TestPostgres;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;

class DatabaseIT {

    private static final Vertx VERTX = Vertx.vertx();
    private static TestDatabase postgres;
    private static Settings settings;
    private static Database database;

    @BeforeAll
    static void start() {
        postgres = TestPostgres.shared().newDatabase();
        settings = Settings.load(Path.of("none"), Map.of(), postgres.settings());
        database = Database.open(VERTX, settings);
        join(database.migrate("platform"));
        join(database.script("CREATE TABLE t (n bigint PRIMARY KEY)"));
    }

    @AfterAll
    static void stop() {
        join(database.close());
        join(VERTX.close());
        postgres.close();
    }

    @Test
    void readsBackThatTheServerIsDurable() {
        assertThat(join(database.durability()).durable()).isTrue();
    }

    @Test
    void migratesAgainWithoutAChange() {
        join(database.migrate("platform"));
        assertThatThrownBy(() -> join(database.migrate("nothing")))
                .hasMessageContaining("the schema nothing cannot be brought up to date");
    }

    @Test
    void givesEachPoolItsPartitionOnce() {
        Pools pools = new Pools(database, 3);
        join(pools.declare(List.of("b", "a", "b")));
        Map<PoolId, Integer> expected =
                Map.of(Pools.PUBLIC, 0, new PoolId("b"), 1, new PoolId("a"), 2);
        assertThat(pools.all()).isEqualTo(expected);
        join(pools.declare(List.of("a")));
        assertThat(pools.all()).isEqualTo(expected);
        assertThatThrownBy(() -> join(pools.declare(List.of("c"))))
                .hasMessageContaining("each topic has only 3");
        assertThat(pools.partition(new PoolId("c"))).isEmpty();
    }

    @Test
    void findsLiveServicesAndForgetsSilentOnes() {
        ServiceDirectory directory = new ServiceDirectory(VERTX, database);
        Entry all = new Entry("executor/a", "executor", List.of(), "http://127.0.0.1:1");
        Entry one =
                new Entry("executor/b", "executor", List.of(Pools.PUBLIC), "http://127.0.0.1:2");
        join(directory.register(all));
        join(directory.register(one));
        assertThat(join(directory.find("executor"))).containsExactlyInAnyOrder(all, one);
        assertThat(join(directory.find("executor", new PoolId("x")))).containsExactly(all);
        assertThat(join(directory.find("gateway"))).isEmpty();
        backdate();
        // it beats again within a second
        await().until(() -> join(directory.find("executor")).size() == 2);
        directory.close();
        backdate();
        assertThat(join(directory.find("executor"))).isEmpty();
    }

    private static void backdate() {
        join(database.query("UPDATE platform.service SET beat_at = beat_at - interval '1 minute'"));
    }

    @Test
    void knowsThatARefusedStatementDidNothing() {
        Writer writer = database.writer("test");
        join(insert(writer, 1));
        StatementFailed failed = failure(insert(writer, 1));
        assertThat(failed.outcome()).isEqualTo(Outcome.REFUSED);
        assertThat(failed.duplicate()).isTrue();
        assertThat(failed.transientTrouble()).isFalse();
        join(insert(writer, 2));
        join(writer.close());
    }

    @Test
    void doesNotKnowWhatBecameOfAStatementWhoseConnectionWasLost() {
        Writer writer = database.writer("victim");
        join(insert(writer, 10));
        Future<RowSet<Row>> lost =
                writer.execute("INSERT INTO t SELECT 11 FROM pg_sleep(30)", Tuple.tuple());
        await().until(() ->
                join(database.query(
                                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                                                + " WHERE application_name = 'muster victim' AND"
                                                + " wait_event = 'PgSleep'"))
                                .size()
                        == 1);
        assertThat(failure(lost).outcome()).isEqualTo(Outcome.UNKNOWN);
        // and it opens a fresh connection for the next one
        await().atMost(10, SECONDS).until(() -> settled(insert(writer, 12)));
        join(writer.close());
    }

    @Test
    void knowsThatNothingWasSentToAServerThatIsNotThere() {
        Settings elsewhere = settings.with(PlatformSettings.SQL_PORT, 1);
        Database none = Database.open(VERTX, elsewhere);
        Writer writer = none.writer("nowhere");
        assertThat(failure(insert(writer, 20)).outcome()).isEqualTo(Outcome.NOT_SENT);
        assertThat(failure(none.query("SELECT 1")).outcome()).isEqualTo(Outcome.NOT_SENT);
        join(none.close());
    }

    @Test
    void endsAStatementThatTakesTooLong() {
        Settings hasty = settings.with(PlatformSettings.SQL_TIMEOUT_MILLIS, 200);
        Database impatient = Database.open(VERTX, hasty);
        StatementFailed failed = failure(impatient.query("SELECT pg_sleep(30)"));
        assertThat(failed.sqlState()).isEqualTo("57014");
        assertThat(failed.outcome()).isEqualTo(Outcome.REFUSED);
        join(impatient.close());
    }

    @Test
    void keepsAWritersStatementsInOrder() {
        Writer writer = database.writer("ordered");
        join(database.script("CREATE TABLE o (at bigserial, n int)"));
        Future<RowSet<Row>> last = writer.execute("SELECT 1", Tuple.tuple());
        for (int i = 0; i < 200; i++) {
            last = writer.execute("INSERT INTO o (n) VALUES ($1)", Tuple.of(i));
        }
        join(last);
        long disordered =
                join(database.query("SELECT count(*) AS c FROM o WHERE at <> n + 1"))
                        .iterator()
                        .next()
                        .getLong("c");
        assertThat(disordered).isZero();
        join(writer.close());
    }

    private static Future<RowSet<Row>> insert(Writer writer, long n) {
        return writer.execute("INSERT INTO t VALUES ($1)", Tuple.of(n));
    }

    private static boolean settled(Future<RowSet<Row>> future) {
        return future.toCompletionStage().toCompletableFuture().handle((_, e) -> e == null).join();
    }

    private static StatementFailed failure(Future<?> future) {
        Throwable cause =
                future.toCompletionStage()
                        .toCompletableFuture()
                        .handle((_, e) -> e instanceof CompletionException c ? c.getCause() : e)
                        .join();
        assertThat(cause).isInstanceOf(StatementFailed.class);
        return Objects.requireNonNull((StatementFailed) cause);
    }

    private static <T> T join(Future<T> future) {
        return future.toCompletionStage().toCompletableFuture().join();
    }
}
