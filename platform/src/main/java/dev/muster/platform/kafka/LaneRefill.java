package dev.muster.platform.kafka;

import io.vertx.core.Future;

import java.util.List;

/** Reads a lane's entries back from where they are durable. */
@FunctionalInterface
public interface LaneRefill {

    /**
     * @param from first n
     * @param atMost entries
     * @return in order of n, without gaps, beginning with {@code from}; empty if nothing is there
     *     yet
     */
    Future<List<LaneEntry>> read(long from, int atMost);
}
