package dev.muster.executor;

/**
 * How far an instance is to be brought. A level, not a verb: it only rises, so a repeated or a late
 * order does nothing.
 *
 * @param processStart to be reached, from 1; 0 below {@link Level#START}. Kept above it
 */
record InstanceOrder(Level level, int processStart) implements Comparable<InstanceOrder> {

    /** In rising order. */
    enum Level {
        NOTHING,
        /** Code and inputs in place. */
        PREPARE,
        /** The command started. */
        START,
        /** The command ended, outputs carried out, the supervisor gone. */
        FINISH,
        /** All processes dead, without a sync. */
        KILL
    }

    static final InstanceOrder NOTHING = new InstanceOrder(Level.NOTHING, 0);
    static final InstanceOrder PREPARE = new InstanceOrder(Level.PREPARE, 0);
    static final InstanceOrder FINISH = new InstanceOrder(Level.FINISH, 0);
    static final InstanceOrder KILL = new InstanceOrder(Level.KILL, 0);

    static InstanceOrder start(int processStart) {
        if (processStart < 1) {
            throw new IllegalArgumentException("process starts count from 1: " + processStart);
        }
        return new InstanceOrder(Level.START, processStart);
    }

    /** Whether this says something that the other does not say already. */
    boolean exceeds(InstanceOrder other) {
        return compareTo(other) > 0;
    }

    @Override
    public int compareTo(InstanceOrder other) {
        int byLevel = level.compareTo(other.level);
        return byLevel != 0 ? byLevel : Integer.compare(processStart, other.processStart);
    }
}
