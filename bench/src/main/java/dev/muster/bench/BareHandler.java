package dev.muster.bench;

import dev.muster.domain.Limits;
import dev.muster.platform.codec.JobSpecJson;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;

import picocli.CommandLine.Command;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/**
 * What Vert.x can do at most: an HTTP server that reads and parses the same body with the same
 * parser and answers 202, and nothing more. The measure of the acceptance benchmark.
 */
@Command(name = "bare-handler", hidden = true)
final class BareHandler implements Callable<Integer> {

    private static final Buffer ANSWER =
            Buffer.buffer(
                    "{\"id\":\"019ac000-0000-7000-8000-000000000000\",\"state\":\"SUBMITTED\"}");

    private final JobSpecJson parser = new JobSpecJson(Limits.DEFAULTS);

    @Override
    public Integer call() throws InterruptedException {
        Vertx vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(false));
        vertx.createHttpServer(
                        new HttpServerOptions().setHost("127.0.0.1").setPort(0).setTcpNoDelay(true))
                .requestHandler(this::handle)
                .listen()
                .onSuccess(server -> System.out.println("port " + server.actualPort()))
                .onFailure(cause -> {
                    System.err.println("muster: " + cause.getMessage());
                    System.exit(1);
                });
        new CountDownLatch(1).await();
        return 0;
    }

    private void handle(HttpServerRequest request) {
        request.body()
                .compose(body -> answer(request, body))
                .onFailure(cause -> request.connection().close().onComplete(_ -> {}));
    }

    private Future<Void> answer(HttpServerRequest request, Buffer body) {
        boolean well = parser.parse(body.getBytes()) instanceof JobSpecJson.Parsed.Accepted;
        return request.response()
                .setStatusCode(well ? 202 : 400)
                .putHeader("content-type", "application/json")
                .end(ANSWER);
    }
}
