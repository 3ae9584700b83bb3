package dev.muster.domain;

/** One input of the core. Inputs are journalled verbatim beside the events that they led to. */
public sealed interface Input {

    /**
     * A cycle at this time; the last input of each batch.
     *
     * @param nowMillis the greater of the last journalled time and the wall clock
     */
    record Tick(long nowMillis) implements Input {}

    /** A message from a lane; {@code n} counts from 1 without gaps. */
    record Delivered(LaneId lane, long n, Message message) implements Input {}

    /** A new leader: the first input of its epoch. */
    record LeaderElected(long epoch, String leader, int codeVersion) implements Input {}

    /** A gap in our own availability: deadlines are shifted by it (S20). */
    record OutageEnded(long fromMillis, long toMillis) implements Input {}
}
