package dev.muster.executor;

import dev.muster.agent.InstanceLog;
import dev.muster.agent.LogFollower;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends one log as a response, piece by piece as fast as the client reads. Holds one piece in
 * memory. Runs on a virtual thread of its own.
 */
final class LogStream {

    private static final Logger LOG = LoggerFactory.getLogger(LogStream.class);

    /** How long a client may take for one piece. */
    private static final long CLIENT_SECONDS = 60;

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** A stream that has nothing to say is ended before proxies cut it. */
    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(60);

    /** Asks for the state of the instance anew. */
    @FunctionalInterface
    interface Liveness {
        boolean live() throws IOException;
    }

    private final HttpServerResponse response;
    private final InstanceLog log;
    private final Liveness liveness;
    private volatile boolean clientLeft;

    LogStream(HttpServerResponse response, InstanceLog log, Liveness liveness) {
        this.response = response;
        this.log = log;
        this.liveness = liveness;
        response.closeHandler(_ -> clientLeft = true);
        response.exceptionHandler(_ -> clientLeft = true);
    }

    /** Blocks until everything was sent, or the client left. */
    void send(long offset, boolean follow) {
        try {
            LogFollower follower = log.follow(offset);
            if (follow) {
                follow(follower);
            } else {
                sendUpTo(follower, log.size());
            }
            if (!clientLeft) {
                response.end().onFailure(cause -> LOG.debug("a log's reader left", cause));
            }
        } catch (IOException | ExecutionException | TimeoutException e) {
            LOG.debug("a log is not sent to its end", e);
            cut();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cut();
        }
    }

    /** The client sees that something is missing. */
    private void cut() {
        response.reset().onFailure(cause -> LOG.debug("a log's reader left", cause));
    }

    private void sendUpTo(LogFollower follower, long end)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        while (!clientLeft && follower.offset() < end) {
            byte[] piece = follower.next(Duration.ZERO);
            if (piece.length == 0) {
                return;
            }
            write(piece);
        }
    }

    private void follow(LogFollower follower)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        long heard = System.nanoTime();
        while (!clientLeft) {
            boolean live = liveness.live();
            byte[] piece = follower.next(live ? PATIENCE : Duration.ZERO);
            if (piece.length > 0) {
                write(piece);
                heard = System.nanoTime();
            } else if (!live || System.nanoTime() - heard > LONGEST_SILENCE.toNanos()) {
                return;
            }
        }
    }

    private void write(byte[] piece)
            throws InterruptedException, ExecutionException, TimeoutException {
        response.write(Buffer.buffer(piece))
                .toCompletionStage()
                .toCompletableFuture()
                .get(CLIENT_SECONDS, TimeUnit.SECONDS);
    }
}
