package dev.muster.notifier;

import dev.muster.platform.kafka.EventRecord;

import io.vertx.core.buffer.Buffer;

import java.util.UUID;

/**
 * An event as it is sent: encoded once, however many get it.
 *
 * @param seq of the event in its pool
 * @param body a CloudEvent in JSON, in two forms: to sign and to send
 */
record Message(
        String pool,
        long seq,
        UUID job,
        String project,
        String type,
        long atMillis,
        byte[] body,
        Buffer buffer) {

    /** An event of a job. */
    static Message of(EventRecord record) {
        byte[] body = record.cloudEvent();
        return new Message(
                record.pool().value(),
                record.seq(),
                UUID.fromString(record.job()),
                record.project(),
                record.type(),
                record.atMillis(),
                body,
                Buffer.buffer(body));
    }
}
