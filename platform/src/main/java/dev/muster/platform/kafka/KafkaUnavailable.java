package dev.muster.platform.kafka;

import org.jspecify.annotations.Nullable;

/** Kafka does not answer, or refused. */
public final class KafkaUnavailable extends RuntimeException {

    private static final long serialVersionUID = 1;

    KafkaUnavailable(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
