package dev.muster.bench;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Two receivers of webhooks in this JVM. One takes everything; the other one refuses each delivery
 * for good when it comes first, so that it has to be tried again by hand.
 */
final class KillReceivers implements AutoCloseable {

    static final Set<String> TAKEN_TYPES = Set.of("JobStarted", "JobSucceeded", "JobFailed");
    static final Set<String> REFUSED_TYPES = Set.of("JobStopped");

    private static final int TAKEN = 204;
    private static final int GONE = 410;
    private static final int MAX_BODY_BYTES = 1 << 20;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, String> eventOfId = new HashMap<>();
    private final Map<String, Long> latestOfJob = new HashMap<>();
    private final Set<String> refused = new HashSet<>();
    private final Set<String> takenLate = new HashSet<>();
    private final List<String> wrong = new ArrayList<>();
    private long repeats;

    KillReceivers() {
        try {
            this.server =
                    HttpServer.create(
                            new InetSocketAddress(
                                    InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0),
                            0);
        } catch (IOException e) {
            throw new BenchFailed("the receivers cannot start: " + e.getMessage(), e);
        }
        server.createContext("/all", exchange -> answer(exchange, true));
        server.createContext("/once-refused", exchange -> answer(exchange, false));
        server.setExecutor(threads);
        server.start();
    }

    /** What to subscribe. */
    List<JsonObject> subscriptions() {
        return List.of(
                subscription("all", TAKEN_TYPES), subscription("once-refused", REFUSED_TYPES));
    }

    private JsonObject subscription(String path, Set<String> types) {
        return new JsonObject()
                .put("url", "http://127.0.0.1:%d/%s".formatted(server.getAddress().getPort(), path))
                .put("project", KillJobs.PROJECT)
                .put("events", new JsonArray(List.copyOf(types)));
    }

    private void answer(HttpExchange exchange, boolean takes) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES);
            String id = exchange.getRequestHeaders().getFirst("webhook-id");
            JsonObject event = new JsonObject(new String(body, StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(takes ? take(id, event) : refuse(id, event), -1);
        }
    }

    private synchronized int take(String id, JsonObject event) {
        String of = event.getString("id");
        String before = eventOfId.putIfAbsent(id, of);
        if (before != null) {
            repeats++;
            if (!before.equals(of)) {
                wrong.add("the webhook id " + id + " stands for " + before + " and for " + of);
            }
            return TAKEN;
        }
        long seq = event.getLong("musterseq");
        Long latest = latestOfJob.get(event.getString("subject"));
        if (latest != null && latest > seq) {
            wrong.add(of + " came after " + latest + " of the same job");
        }
        latestOfJob.merge(event.getString("subject"), seq, Math::max);
        return TAKEN;
    }

    private synchronized int refuse(String id, JsonObject event) {
        if (refused.add(id)) {
            return GONE;
        }
        takenLate.add(event.getString("id"));
        return TAKEN;
    }

    /** Ids of the events that were taken. */
    synchronized Set<String> events() {
        Set<String> all = new HashSet<>(eventOfId.values());
        all.addAll(takenLate);
        return all;
    }

    synchronized List<String> wrong() {
        return List.copyOf(wrong);
    }

    synchronized long repeats() {
        return repeats;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
