package dev.muster.simulation;

/** One thing that goes wrong. A plan is a list of them, so that each can be left out. */
sealed interface Fault {

    /** The process is killed at the n-th reach of any step from a time on. */
    record Crash(String process, long fromMillis, int steps, long downMillis) implements Fault {}

    record Pause(String process, long fromMillis, int steps, long millis) implements Fault {}

    record ClockStep(String process, long atMillis, long byMillis) implements Fault {}

    /** What becomes of the n-th statement of a process from a time on. */
    record Statement(String process, long fromMillis, int count, Outcome outcome)
            implements Fault {}

    /** What the client does not see. */
    enum Outcome {
        REFUSED,
        LOST_BEFORE,
        LOST_AFTER,
        /** The connection is lost at once, and the server runs the statement later. */
        LATE
    }

    record DatabaseGone(long atMillis, long millis) implements Fault {}

    record DatabaseSlow(long atMillis, long millis, long latencyMillis) implements Fault {}

    record KafkaAway(long atMillis, long millis) implements Fault {}

    /** A record of a process is not taken, those behind it are; or it is taken twice. */
    record Sending(String process, long fromMillis, int count, boolean twice) implements Fault {}

    /** All records before the end are deleted. */
    record Truncated(String topic, long atMillis) implements Fault {}

    /** The last records come once more, as after a failover to a copy of the topic. */
    record Repeated(String topic, long atMillis, int count) implements Fault {}

    /** The topic is deleted and made anew. */
    record Recreated(String topic, long atMillis) implements Fault {}

    record NodeLost(int node, long atMillis, long millis) implements Fault {}

    record ReceiverDown(int receiver, long atMillis, long millis) implements Fault {}
}
