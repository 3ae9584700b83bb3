package dev.muster.platform.kafka;

import io.vertx.core.Future;
import io.vertx.core.Vertx;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Asks whether Kafka answers, for readiness. */
public final class KafkaProbe implements AutoCloseable {

    private static final int ASK_MILLIS = 1500;

    private final Admin admin;

    public KafkaProbe(KafkaAccess kafka) {
        this.admin = Admin.create(kafka.client());
    }

    /** Fails with one sentence when no broker answers. */
    public Future<Void> check(Vertx vertx) {
        DescribeClusterOptions options = new DescribeClusterOptions().timeoutMs(ASK_MILLIS);
        return Future.fromCompletionStage(
                        admin.describeCluster(options).nodes().toCompletionStage(),
                        vertx.getOrCreateContext())
                .timeout(ASK_MILLIS, TimeUnit.MILLISECONDS)
                .recover(_ -> Future.failedFuture("Kafka does not answer"))
                .compose(brokers ->
                        brokers.isEmpty()
                                ? Future.failedFuture("Kafka has no broker")
                                : Future.succeededFuture());
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(1));
    }
}
