package dev.muster.notifier;

import dev.muster.domain.JobId;
import dev.muster.embedded.KafkaConnection;
import dev.muster.embedded.PostgresConnection;
import dev.muster.gateway.GatewayService;
import dev.muster.gateway.GatewaySettings;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Setting;
import dev.muster.platform.config.Settings;
import dev.muster.platform.kafka.KafkaAccess;
import dev.muster.platform.run.ServiceRunner;
import dev.muster.testkit.TestDatabase;
import dev.muster.testkit.TestKafka;
import dev.muster.testkit.TestPostgres;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A gateway, a journal and notifiers on real servers, with a database and topics of their own. */
final class Stack implements AutoCloseable {

    private static final String TOKEN = "a-token-for-the-tests";

    private final TestDatabase database = TestPostgres.shared().newDatabase();
    private final Settings settings;
    private final TestJournal journal;
    private final ServiceRunner gatewayRunner;
    private final GatewayService gateway = new GatewayService();
    private final Map<String, ServiceRunner> notifiers = new HashMap<>();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    Stack() throws SQLException {
        PostgresConnection sql = database.connection();
        KafkaConnection kafka = TestKafka.shared().connection();
        this.settings =
                Settings.defaults()
                        .with(PlatformSettings.SQL_HOST, sql.host())
                        .with(PlatformSettings.SQL_PORT, sql.port())
                        .with(PlatformSettings.SQL_DATABASE, sql.database())
                        .with(PlatformSettings.SQL_USER, sql.user())
                        .with(PlatformSettings.SQL_PASSWORD, sql.password())
                        .with(PlatformSettings.KAFKA_BOOTSTRAP, List.of(kafka.bootstrapServers()))
                        .with(PlatformSettings.KAFKA_USER, kafka.user())
                        .with(PlatformSettings.KAFKA_PASSWORD, kafka.password())
                        .with(
                                PlatformSettings.KAFKA_PREFIX,
                                TestKafka.shared().newPrefix() + "muster")
                        .with(PlatformSettings.KAFKA_PARTITIONS, 2)
                        .with(PlatformSettings.API_TOKEN, TOKEN)
                        .with(PlatformSettings.SERVICE_TOKEN, TOKEN)
                        .with(
                                PlatformSettings.SECRETS_KEY,
                                Base64.getUrlEncoder().encodeToString(new byte[32]))
                        .with(GatewaySettings.PORT, 0)
                        .with(NotifierSettings.ALLOWED_NETWORKS, List.of("127.0.0.0/8"))
                        .with(NotifierSettings.BACKOFF_MILLIS, 20)
                        .with(NotifierSettings.BACKOFF_MAX_MILLIS, 100)
                        .with(NotifierSettings.CIRCUIT_MILLIS, 50)
                        .with(NotifierSettings.CIRCUIT_MAX_MILLIS, 200)
                        // long, so that a busy machine leads to no second attempt
                        .with(NotifierSettings.TIMEOUT_MILLIS, 60_000)
                        .with(NotifierSettings.IDLE_MILLIS, 100)
                        .with(NotifierSettings.CLAIM_MILLIS, 100)
                        .with(NotifierSettings.LEASE_MILLIS, 60_000);
        journal = new TestJournal(new KafkaAccess(settings), database);
        gatewayRunner =
                ServiceRunner.prepare(settings.with(PlatformSettings.SERVICE_ID, "gateway"));
        gatewayRunner.start(gateway);
    }

    /** What {@link #settings} sets, for a process of its own. */
    static final List<Setting<?>> KEYS =
            List.of(
                    PlatformSettings.SQL_HOST,
                    PlatformSettings.SQL_PORT,
                    PlatformSettings.SQL_DATABASE,
                    PlatformSettings.SQL_USER,
                    PlatformSettings.SQL_PASSWORD,
                    PlatformSettings.KAFKA_BOOTSTRAP,
                    PlatformSettings.KAFKA_USER,
                    PlatformSettings.KAFKA_PASSWORD,
                    PlatformSettings.KAFKA_PREFIX,
                    PlatformSettings.KAFKA_PARTITIONS,
                    PlatformSettings.SERVICE_TOKEN,
                    PlatformSettings.SERVICE_ID,
                    PlatformSettings.SECRETS_KEY,
                    NotifierSettings.ALLOWED_NETWORKS,
                    NotifierSettings.BACKOFF_MILLIS,
                    NotifierSettings.BACKOFF_MAX_MILLIS,
                    NotifierSettings.CIRCUIT_MILLIS,
                    NotifierSettings.CIRCUIT_MAX_MILLIS,
                    NotifierSettings.TIMEOUT_MILLIS,
                    NotifierSettings.IDLE_MILLIS,
                    NotifierSettings.CLAIM_MILLIS,
                    NotifierSettings.LEASE_MILLIS,
                    NotifierSettings.MAX_ATTEMPTS);

    Settings settings() {
        return settings;
    }

    TestJournal journal() {
        return journal;
    }

    void notifier(String id) {
        notifier(id, UnaryOperator.identity());
    }

    void notifier(String id, UnaryOperator<Settings> change) {
        ServiceRunner runner =
                ServiceRunner.prepare(change.apply(settings.with(PlatformSettings.SERVICE_ID, id)));
        notifiers.put(id, runner);
        runner.start(new NotifierService());
    }

    void stop(String id) {
        ServiceRunner runner = notifiers.remove(id);
        if (runner != null) {
            runner.close();
        }
    }

    /** As if so much time had passed since a notifier's last sign. */
    void expireLeases(String id) throws SQLException {
        String expire =
                "UPDATE notifier.%s SET lease_until = '-infinity' WHERE %s = '"
                        + id
                        + "'"
                        + " RETURNING 1";
        query(expire.formatted("position", "holder"));
        query(expire.formatted("mailbox", "owner"));
    }

    /** Sum of a counter over the notifiers of this process. */
    double count(String name, String tag, String value) {
        return notifiers.values().stream()
                .mapToDouble(runner ->
                        runner.context().meters().get(name).tag(tag, value).counter().count())
                .sum();
    }

    /** An answer of the gateway. */
    record Answer(int status, String body) {
        JsonObject json() {
            return new JsonObject(body);
        }
    }

    Answer get(String path) throws IOException, InterruptedException {
        return send(request(path).GET());
    }

    Answer post(String path, JsonObject body) throws IOException, InterruptedException {
        return send(request(path).POST(HttpRequest.BodyPublishers.ofString(body.encode())));
    }

    Answer delete(String path) throws IOException, InterruptedException {
        return send(request(path).DELETE());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + path))
                .header("Authorization", "Bearer " + TOKEN);
    }

    private Answer send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response =
                client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return new Answer(response.statusCode(), response.body());
    }

    /** A new subscription of the project to these types. */
    JsonObject subscribe(String url, String... types) throws IOException, InterruptedException {
        JsonObject body = new JsonObject().put("url", url);
        if (types.length > 0) {
            body.put("events", new JsonArray(List.of(types)));
        }
        return made(post("/api/v1/subscriptions", body));
    }

    static JsonObject made(Answer answer) {
        if (answer.status() != 201) {
            throw new AssertionError(answer.status() + ": " + answer.body());
        }
        return answer.json();
    }

    /** An accepted job. */
    JobId submit() throws IOException, InterruptedException {
        Answer answer =
                post("/api/v1/jobs", new JsonObject().put("name", "job").put("command", "true"));
        if (answer.status() != 202) {
            throw new AssertionError(answer.status() + ": " + answer.body());
        }
        return JobId.parse(answer.json().getString("id"));
    }

    List<JsonObject> deliveries(String query) throws IOException, InterruptedException {
        Answer answer = get("/api/v1/deliveries?limit=500" + query);
        if (answer.status() != 200) {
            throw new AssertionError(answer.status() + ": " + answer.body());
        }
        List<JsonObject> all = new ArrayList<>();
        answer.json().getJsonArray("items").forEach(each -> all.add((JsonObject) each));
        return all;
    }

    /** The first column of each row. */
    List<String> query(String sql) throws SQLException {
        try (Connection jdbc = database.open();
                Statement statement = jdbc.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        }
    }

    @Override
    public void close() {
        List.copyOf(notifiers.keySet()).forEach(this::stop);
        gatewayRunner.close();
        journal.close();
        client.close();
        database.close();
    }
}
