package dev.muster.notifier;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;

/** A web server on 127.0.0.1 that keeps what is posted to it. */
final class Receiver implements AutoCloseable {

    /** Answers nothing at all. */
    static final int SILENT = 0;

    /** What was posted. */
    record Post(
            String path,
            String id,
            String timestamp,
            String signatures,
            String type,
            Buffer body,
            int status) {

        Post answered(int with) {
            return new Post(path, id, timestamp, signatures, type, body, with);
        }

        JsonObject json() {
            return body.toJsonObject();
        }

        String job() {
            return json().getString("subject");
        }

        /** Position of its event in the pool. */
        long seq() {
            return json().getLong("musterseq");
        }

        boolean signedWith(String secret) {
            String key = secret.substring("whsec_".length());
            Signer signer = new Signer(Base64.getDecoder().decode(key));
            String expected = signer.sign(id, Long.parseLong(timestamp), body.getBytes());
            return List.of(signatures.split(" ", -1)).contains(expected);
        }
    }

    private final Vertx vertx;
    private final HttpServer server;
    private final List<Post> posts = new CopyOnWriteArrayList<>();
    private volatile ToIntFunction<Post> answer = _ -> 204;

    Receiver() throws Exception {
        this(0);
    }

    Receiver(int port) throws Exception {
        vertx = Vertx.vertx();
        server =
                vertx.createHttpServer()
                        .requestHandler(this::take)
                        .listen(port, "127.0.0.1")
                        .toCompletionStage()
                        .toCompletableFuture()
                        .get(30, TimeUnit.SECONDS);
    }

    private void take(HttpServerRequest request) {
        request.body()
                .onSuccess(body -> {
                    Post post =
                            new Post(
                                    request.path(),
                                    header(request, "webhook-id"),
                                    header(request, "webhook-timestamp"),
                                    header(request, "webhook-signature"),
                                    header(request, "content-type"),
                                    body,
                                    SILENT);
                    int status = answer.applyAsInt(post);
                    posts.add(post.answered(status));
                    if (status == SILENT) {
                        return;
                    }
                    request.response().setStatusCode(status);
                    if (status / 100 == 3) {
                        request.response().putHeader("location", url("/redirected"));
                    }
                    request.response().end("some text").onFailure(_ -> {});
                })
                .onFailure(_ -> {});
    }

    private static String header(HttpServerRequest request, String name) {
        return Objects.requireNonNullElse(request.getHeader(name), "");
    }

    /** How it answers from now on: a status, or {@link #SILENT}. */
    void answer(ToIntFunction<Post> how) {
        answer = how;
    }

    String url(String path) {
        return "http://127.0.0.1:" + port() + path;
    }

    int port() {
        return server.actualPort();
    }

    List<Post> posts() {
        return new ArrayList<>(posts);
    }

    /** Ids in order of their first arrival. */
    List<String> ids() {
        return posts.stream().map(Post::id).distinct().toList();
    }

    /** Ids of those that were taken, each as often as it was. */
    List<String> taken() {
        return posts.stream().filter(post -> post.status() / 100 == 2).map(Post::id).toList();
    }

    @Override
    public void close() {
        vertx.close()
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }
}
