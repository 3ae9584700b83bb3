package dev.muster.platform.kafka;

import dev.muster.domain.Message;
import dev.muster.platform.codec.Codec;

/**
 * One place on a lane.
 *
 * @param n from 1 without gaps
 * @param data what is published: the message encoded, perhaps with more members
 */
public record LaneEntry(long n, Message message, byte[] data) {

    public static LaneEntry of(long n, Message message) {
        return new LaneEntry(n, message, Codec.encode(message));
    }
}
