package dev.muster.bench;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.HdrHistogram.Histogram;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A process of web servers, each a target of its own: they count what arrives by its id. Some are
 * dead: half of those refuse connections, the others accept them and never answer. It tells its
 * ports on one line; {@code GET /report} on the control port tells the rest.
 */
@Command(name = "notify-receivers", hidden = true)
final class NotifyReceivers implements Callable<Integer> {

    private static final byte[] TIME = "\"time\":\"".getBytes(StandardCharsets.US_ASCII);

    @Option(names = "--healthy", defaultValue = "100")
    private int healthy;

    @Option(names = "--dead", defaultValue = "0")
    private int dead;

    private final Histogram delays = new Histogram(TimeUnit.HOURS.toMillis(2), 3);
    private final List<BitSet> seen = new ArrayList<>();
    private long ids;
    private long repeats;
    private long firstNanos;
    private long lastNanos;

    @Override
    public Integer call() throws Exception {
        Vertx vertx =
                Vertx.vertx(
                        new VertxOptions().setEventLoopPoolSize(1).setPreferNativeTransport(false));
        List<Future<Integer>> targets = new ArrayList<>();
        for (int i = 0; i < healthy; i++) {
            BitSet own = new BitSet();
            seen.add(own);
            targets.add(listen(vertx, request -> take(request, own)));
        }
        JsonArray deadPorts = new JsonArray();
        for (int i = 0; i < dead; i++) {
            deadPorts.add(i % 2 == 0 ? refusing() : silent());
        }
        Future<Integer> control = listen(vertx, this::report);
        Future.all(targets)
                .compose(_ -> control)
                .onSuccess(port -> {
                    JsonArray ports = new JsonArray();
                    targets.forEach(each -> ports.add(each.result()));
                    System.out.println(
                            new JsonObject()
                                    .put("ports", ports)
                                    .put("dead", deadPorts)
                                    .put("control", port)
                                    .encode());
                })
                .onFailure(cause -> {
                    System.err.println("muster: " + cause.getMessage());
                    System.exit(1);
                });
        new CountDownLatch(1).await();
        return 0;
    }

    private static Future<Integer> listen(Vertx vertx, Handler<HttpServerRequest> handler) {
        return vertx.createHttpServer(
                        new HttpServerOptions().setHost("127.0.0.1").setPort(0).setTcpNoDelay(true))
                .requestHandler(handler)
                .listen()
                .map(HttpServer::actualPort);
    }

    /** A port at which nobody listens. */
    private static int refusing() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** A port whose connections are taken by the system and never served. */
    @SuppressWarnings("resource") // for as long as the process lives
    private static int silent() throws IOException {
        return new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress()).getLocalPort();
    }

    private void take(HttpServerRequest request, BitSet own) {
        request.body()
                .onSuccess(body -> {
                    count(request.getHeader("webhook-id"), own, body);
                    request.response().setStatusCode(204).end().onFailure(NotifyReceivers::ignored);
                })
                .onFailure(NotifyReceivers::ignored);
    }

    private static void ignored(Throwable cause) {
        // a connection that breaks shows in the counts
    }

    /** An id is {@code pool-seq-subscription}; each target has one subscription. */
    private void count(String id, BitSet own, Buffer body) {
        lastNanos = System.nanoTime();
        if (firstNanos == 0) {
            firstNanos = lastNanos;
        }
        int second = id.lastIndexOf('-');
        int seq = Integer.parseInt(id, id.lastIndexOf('-', second - 1) + 1, second, 10);
        if (own.get(seq)) {
            repeats++;
            return;
        }
        own.set(seq);
        ids++;
        delays.recordValue(Math.max(0, System.currentTimeMillis() - time(body)));
    }

    /** When the event happened, found without parsing the rest. */
    private static long time(Buffer body) {
        byte[] bytes = body.getBytes(0, Math.min(body.length(), 300));
        for (int i = 0; i + TIME.length < bytes.length; i++) {
            int k = 0;
            while (k < TIME.length && bytes[i + k] == TIME[k]) {
                k++;
            }
            if (k == TIME.length) {
                int end = i + k;
                while (bytes[end] != '"') {
                    end++;
                }
                String text = new String(bytes, i + k, end - i - k, StandardCharsets.US_ASCII);
                return Instant.parse(text).toEpochMilli();
            }
        }
        return System.currentTimeMillis();
    }

    /** What was counted; with {@code ?reset} the counting begins anew, but for what was seen. */
    private void report(HttpServerRequest request) {
        JsonObject report =
                new JsonObject()
                        .put("ids", ids)
                        .put("repeats", repeats)
                        .put("seconds", (lastNanos - firstNanos) / 1e9)
                        .put("quietMillis", (System.nanoTime() - lastNanos) / 1_000_000)
                        .put("p50", delays.getValueAtPercentile(50))
                        .put("p99", delays.getValueAtPercentile(99));
        if (request.query() != null) {
            ids = 0;
            repeats = 0;
            firstNanos = 0;
            delays.reset();
        }
        request.response().end(report.toBuffer()).onFailure(NotifyReceivers::ignored);
    }
}
