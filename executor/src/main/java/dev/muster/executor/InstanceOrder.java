package dev.muster.executor;

/**
 * How far an instance is to be brought. A level, not a verb: it only rises, so a repeated or a late
 * order does nothing.
 *
 * @param processStart to be reached, from 1; 0 below {@link Level#START}, and above it if nothing
 *     that ran is to leave evidence
 * @param hungIncident what ran before, or, above {@link Level#START}, under this number, hung: its
 *     end leaves evidence for this incident. 0 for none. It raises nothing by itself
 */
public record InstanceOrder(Level level, int processStart, int hungIncident)
        implements Comparable<InstanceOrder> {

    /** In rising order. */
    public enum Level {
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

    public static final InstanceOrder NOTHING = new InstanceOrder(Level.NOTHING, 0, 0);
    public static final InstanceOrder PREPARE = new InstanceOrder(Level.PREPARE, 0, 0);
    public static final InstanceOrder FINISH = new InstanceOrder(Level.FINISH, 0, 0);
    public static final InstanceOrder KILL = new InstanceOrder(Level.KILL, 0, 0);

    public static InstanceOrder start(int processStart) {
        if (processStart < 1) {
            throw new IllegalArgumentException("process starts count from 1: " + processStart);
        }
        return new InstanceOrder(Level.START, processStart, 0);
    }

    /** The same, and what is ended by it hung. */
    InstanceOrder ending(int processStart, int incident) {
        return new InstanceOrder(
                level, level == Level.START ? this.processStart : processStart, incident);
    }

    /** Whether the instance is to end. */
    public boolean ends() {
        return level.compareTo(Level.FINISH) >= 0;
    }

    /** Whether this says something that the other does not say already. */
    public boolean exceeds(InstanceOrder other) {
        return compareTo(other) > 0;
    }

    @Override
    public int compareTo(InstanceOrder other) {
        int byLevel = level.compareTo(other.level);
        return byLevel != 0 || level != Level.START
                ? byLevel
                : Integer.compare(processStart, other.processStart);
    }
}
