package dev.muster.embedded;

import org.apache.kafka.common.utils.Exit;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Kafka ends its JVM when a broker is lost, on a full disk for instance. Here the broker shares the
 * JVM with all of Muster, so that becomes a failure of the broker alone.
 */
final class KafkaExits {
    // Kafka does not say which broker of the JVM is meant, so all are; there is one in practice.
    private static final Set<KafkaExits> WATCHED = ConcurrentHashMap.newKeySet();

    private final CompletableFuture<String> lost = new CompletableFuture<>();

    private KafkaExits() {}

    static KafkaExits watch() {
        Exit.setExitProcedure(KafkaExits::refuse);
        Exit.setHaltProcedure(KafkaExits::refuse);
        KafkaExits exits = new KafkaExits();
        WATCHED.add(exits);
        return exits;
    }

    /** Completes with Kafka's reason when it wants the JVM to end. */
    CompletableFuture<String> lost() {
        return lost;
    }

    void forget() {
        WATCHED.remove(this);
    }

    // Exit throws in the thread that called it once this returns.
    private static void refuse(int status, String message) {
        String reason = message == null ? "exit code " + status : message;
        WATCHED.forEach(exits -> exits.lost.complete(reason));
    }
}
