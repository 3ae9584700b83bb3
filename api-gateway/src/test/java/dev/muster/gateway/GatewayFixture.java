package dev.muster.gateway;

import static dev.muster.platform.config.PlatformSettings.API_TOKEN;
import static dev.muster.platform.config.PlatformSettings.KAFKA_BOOTSTRAP;
import static dev.muster.platform.config.PlatformSettings.KAFKA_PARTITIONS;
import static dev.muster.platform.config.PlatformSettings.KAFKA_PASSWORD;
import static dev.muster.platform.config.PlatformSettings.KAFKA_PREFIX;
import static dev.muster.platform.config.PlatformSettings.KAFKA_USER;
import static dev.muster.platform.config.PlatformSettings.SERVICE_ID;
import static dev.muster.platform.config.PlatformSettings.SERVICE_TOKEN;
import static dev.muster.platform.config.PlatformSettings.SQL_DATABASE;
import static dev.muster.platform.config.PlatformSettings.SQL_HOST;
import static dev.muster.platform.config.PlatformSettings.SQL_PASSWORD;
import static dev.muster.platform.config.PlatformSettings.SQL_PORT;
import static dev.muster.platform.config.PlatformSettings.SQL_USER;

import dev.muster.embedded.KafkaConnection;
import dev.muster.embedded.PostgresConnection;
import dev.muster.platform.config.Settings;
import dev.muster.platform.kafka.KafkaAccess;
import dev.muster.platform.run.ServiceRunner;
import dev.muster.testkit.FaultyProxy;
import dev.muster.testkit.TestDatabase;
import dev.muster.testkit.TestKafka;
import dev.muster.testkit.TestPostgres;

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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;

/** Gateways on real servers, with a database and topics of their own, and a client. */
final class GatewayFixture implements AutoCloseable {

    static final String TOKEN = "a-token-for-the-tests";

    /** A gateway that runs, as a process of its own would. */
    record Gateway(ServiceRunner runner, GatewayService service) {

        URI uri(String path) {
            return URI.create("http://127.0.0.1:" + service.port() + path);
        }
    }

    private final TestDatabase database = TestPostgres.shared().newDatabase();
    private final Settings settings;
    private final Map<String, Gateway> gateways = new HashMap<>();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    GatewayFixture() {
        PostgresConnection sql = database.connection();
        KafkaConnection kafka = TestKafka.shared().connection();
        this.settings =
                Settings.defaults()
                        .with(SQL_HOST, sql.host())
                        .with(SQL_PORT, sql.port())
                        .with(SQL_DATABASE, sql.database())
                        .with(SQL_USER, sql.user())
                        .with(SQL_PASSWORD, sql.password())
                        .with(KAFKA_BOOTSTRAP, List.of(kafka.bootstrapServers()))
                        .with(KAFKA_USER, kafka.user())
                        .with(KAFKA_PASSWORD, kafka.password())
                        .with(KAFKA_PREFIX, TestKafka.shared().newPrefix() + "muster")
                        .with(KAFKA_PARTITIONS, 2)
                        .with(API_TOKEN, TOKEN)
                        .with(SERVICE_TOKEN, TOKEN)
                        .with(GatewaySettings.PORT, 0);
    }

    Settings settings() {
        return settings;
    }

    TestDatabase database() {
        return database;
    }

    TestScheduler scheduler() throws SQLException {
        return new TestScheduler(new KafkaAccess(settings), database);
    }

    Gateway start(String id) {
        return start(id, UnaryOperator.identity());
    }

    /** A way to the database that can fail. */
    FaultyProxy proxy() {
        return new FaultyProxy(settings.get(SQL_HOST), settings.get(SQL_PORT));
    }

    Gateway start(String id, FaultyProxy proxy) {
        return start(id, s -> s.with(SQL_HOST, proxy.host()).with(SQL_PORT, proxy.port()));
    }

    Gateway start(String id, UnaryOperator<Settings> change) {
        ServiceRunner runner = ServiceRunner.prepare(change.apply(settings.with(SERVICE_ID, id)));
        GatewayService service = new GatewayService();
        runner.start(service);
        Gateway gateway = new Gateway(runner, service);
        gateways.put(id, gateway);
        return gateway;
    }

    void stop(String id) {
        Gateway gateway = gateways.remove(id);
        if (gateway != null) {
            gateway.runner.close();
        }
    }

    /** An answer and what is in it. */
    record Answer(int status, HttpResponse<String> response) {

        JsonObject json() {
            return new JsonObject(response.body());
        }
    }

    Answer get(Gateway gateway, String path) throws IOException, InterruptedException {
        return send(request(gateway, path).GET().build());
    }

    Answer post(Gateway gateway, String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                request(gateway, path).POST(HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request.build());
    }

    static HttpRequest.Builder request(Gateway gateway, String path) {
        return HttpRequest.newBuilder(gateway.uri(path)).header("Authorization", "Bearer " + TOKEN);
    }

    HttpClient client() {
        return client;
    }

    private Answer send(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        return new Answer(response.statusCode(), response);
    }

    static String spec(String name) {
        return "{\"name\":\"" + name + "\",\"command\":\"true\"}";
    }

    /** Id of an accepted job. */
    String submit(Gateway gateway, String name) throws IOException, InterruptedException {
        Answer answer = post(gateway, "/api/v1/jobs", spec(name));
        if (answer.status() != 202) {
            throw new AssertionError(answer.status() + ": " + answer.response().body());
        }
        return answer.json().getString("id");
    }

    /** Ids of jobs that are submitted at once; all must be accepted. */
    List<String> submitAll(
            Gateway gateway, int count, IntFunction<String> spec, IntFunction<String> key) {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            HttpRequest.Builder request =
                    request(gateway, "/api/v1/jobs")
                            .POST(HttpRequest.BodyPublishers.ofString(spec.apply(i)));
            if (!key.apply(i).isEmpty()) {
                request.header("Idempotency-Key", key.apply(i));
            }
            answers.add(client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString()));
        }
        List<String> ids = new ArrayList<>();
        for (CompletableFuture<HttpResponse<String>> each : answers) {
            HttpResponse<String> answer = each.join();
            if (answer.statusCode() != 202) {
                throw new AssertionError(answer.statusCode() + ": " + answer.body());
            }
            ids.add(new JsonObject(answer.body()).getString("id"));
        }
        return ids;
    }

    /** Statements that return nothing. */
    void execute(String sql) throws SQLException {
        try (Connection jdbc = database.open();
                Statement statement = jdbc.createStatement()) {
            statement.execute(sql);
        }
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
        List.copyOf(gateways.keySet()).forEach(this::stop);
        client.close();
        database.close();
    }
}
