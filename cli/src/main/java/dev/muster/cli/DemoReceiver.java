package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.function.Predicate;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The demo's own receiver of webhooks, as a user would write one: it verifies each signature and
 * keeps a line of each delivery in a file, which {@code muster verify} holds against the journal.
 * What comes before it knows the key is put off; what comes before it knows the job is kept back.
 */
final class DemoReceiver implements AutoCloseable {

    private static final int TAKEN = 204;
    private static final int UNSIGNED = 401;
    private static final int NOT_YET = 503;
    private static final int MAX_BODY_BYTES = 1 << 20;
    private static final String ALGORITHM = "HmacSHA256";

    private final HttpServer server;
    private final Path file;

    /** Verified deliveries by their ids, in order of arrival. */
    private final Map<String, JsonNode> received = new LinkedHashMap<>();

    private final List<ObjectNode> keptBack = new ArrayList<>();
    private Predicate<JsonNode> wanted = _ -> false;
    private boolean writes;
    private byte[] key = {};
    private int refused;

    /**
     * @param file that a line is added to for each delivery
     */
    DemoReceiver(Path file) {
        this.file = file;
        try {
            Files.createDirectories(file.getParent());
            this.server = HttpServer.create(new InetSocketAddress(loopback(), 0), 0);
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCodes.FAILED, "the demo's receiver cannot start: " + PrivateFiles.why(e));
        }
        server.createContext("/", this::take);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }

    private static InetAddress loopback() throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/muster";
    }

    Path file() {
        return file;
    }

    /**
     * @param secret of the subscription: {@code whsec_} and the key in base64
     */
    synchronized void expect(String secret) {
        key = Base64.getDecoder().decode(secret.substring(secret.indexOf('_') + 1));
    }

    /** Writes down what is told of one job from now on, and what was told of it before. */
    synchronized void follow(String pool, String job, int instances) {
        wanted = event -> event.path("subject").asText().equals(job);
        write(
                JsonNodeFactory.instance
                        .objectNode()
                        .put("pool", pool)
                        .put("job", job)
                        .put("instances", instances));
        begin();
    }

    /** Writes down everything that is told. */
    synchronized void followAll() {
        wanted = _ -> true;
        begin();
    }

    private void begin() {
        writes = true;
        keptBack.stream().filter(line -> wanted.test(line.path("event"))).forEach(this::write);
        keptBack.clear();
    }

    /** Says that everything about the job was to have come by now. */
    synchronized void complete() {
        write(JsonNodeFactory.instance.objectNode().put("complete", true));
    }

    private void write(ObjectNode line) {
        try {
            Files.writeString(
                    file,
                    line + "\n",
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES);
            exchange.sendResponseHeaders(answer(exchange, body), -1);
        }
    }

    private synchronized int answer(HttpExchange exchange, byte[] body) {
        if (key.length == 0) {
            return NOT_YET;
        }
        String id = header(exchange, "webhook-id");
        String time = header(exchange, "webhook-timestamp");
        if (!signed(id, time, body, header(exchange, "webhook-signature"))) {
            refused++;
            return UNSIGNED;
        }
        JsonNode event = Documents.json(new String(body, StandardCharsets.UTF_8));
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.put("webhookId", id).put("timestamp", time);
        line.set("event", event);
        received.putIfAbsent(id, event);
        if (!writes) {
            keptBack.add(line);
        } else if (wanted.test(event)) {
            write(line);
        }
        return TAKEN;
    }

    private static String header(HttpExchange exchange, String name) {
        String value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? "" : value;
    }

    /** Standard Webhooks: any of the signatures, which stand apart by spaces, may be ours. */
    private boolean signed(String id, String time, byte[] body, String signatures) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            mac.update((id + "." + time + ".").getBytes(StandardCharsets.UTF_8));
            byte[] ours =
                    ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body)))
                            .getBytes(StandardCharsets.US_ASCII);
            return List.of(signatures.split(" ")).stream()
                    .anyMatch(each ->
                            MessageDigest.isEqual(each.getBytes(StandardCharsets.US_ASCII), ours));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Verified deliveries about a job, each id once, in order of arrival. */
    synchronized List<JsonNode> about(String job) {
        return received.values().stream()
                .filter(event -> event.path("subject").asText().equals(job))
                .toList();
    }

    /** Requests whose signature did not hold. */
    synchronized int refused() {
        return refused;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
