package dev.muster.agent;

/**
 * What was asked of an instance so far. Levels, not commands: they only rise.
 *
 * @param start highest process start that is to run, 0 for none
 * @param stop highest process start that is to end, 0 for none
 */
record Wanted(boolean prepare, int start, int stop, boolean finish, boolean kill, boolean remove) {

    static final Wanted NOTHING = new Wanted(false, 0, 0, false, false, false);

    Wanted withPrepare() {
        return new Wanted(true, start, stop, finish, kill, remove);
    }

    Wanted withStart(int number) {
        return new Wanted(true, Math.max(start, number), stop, finish, kill, remove);
    }

    Wanted withStop(int number) {
        return new Wanted(prepare, start, Math.max(stop, number), finish, kill, remove);
    }

    Wanted withFinish() {
        return new Wanted(prepare, start, stop, true, kill, remove);
    }

    Wanted withKill() {
        return new Wanted(prepare, start, stop, finish, true, remove);
    }

    Wanted withRemove() {
        return new Wanted(prepare, start, stop, finish, true, true);
    }

    /** Whether the start that is wanted is not to be ended as well. */
    boolean startStands() {
        return start > stop && !finish && !kill;
    }
}
