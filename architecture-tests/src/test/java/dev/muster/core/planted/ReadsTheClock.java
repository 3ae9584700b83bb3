package dev.muster.core.planted;

import io.vertx.core.Vertx;

import java.sql.Connection;
import java.time.Instant;
import java.util.Random;
import java.util.UUID;

/** Everything that a decision may not look at; the rules are tried on it. */
public interface ReadsTheClock {

    /** What the result depends on is no input. */
    static String decide(Vertx vertx, Connection connection) {
        return Instant.now().toString()
                + System.nanoTime()
                + UUID.randomUUID()
                + new Random().nextInt()
                + vertx.isClustered()
                + connection;
    }
}
