package dev.muster.agent;

/**
 * What was asked of an instance so far. Levels, not commands: they only rise.
 *
 * @param start highest process start that is to run, 0 for none
 * @param stop highest process start that is to end, 0 for none
 * @param dump highest process start whose end is to leave evidence, 0 for none
 * @param incident that the evidence belongs to
 */
record Wanted(
        boolean prepare,
        int start,
        int stop,
        int dump,
        int incident,
        boolean finish,
        boolean kill,
        boolean remove) {

    static final Wanted NOTHING = new Wanted(false, 0, 0, 0, 0, false, false, false);

    Wanted withPrepare() {
        return new Wanted(true, start, stop, dump, incident, finish, kill, remove);
    }

    Wanted withStart(int number) {
        int raised = Math.max(start, number);
        return new Wanted(true, raised, stop, dump, incident, finish, kill, remove);
    }

    Wanted withStop(int number) {
        int raised = Math.max(stop, number);
        return new Wanted(prepare, start, raised, dump, incident, finish, kill, remove);
    }

    Wanted withDump(int number, int forIncident) {
        return number <= dump
                ? this
                : new Wanted(prepare, start, stop, number, forIncident, finish, kill, remove)
                        .withStop(number);
    }

    Wanted withFinish() {
        return new Wanted(prepare, start, stop, dump, incident, true, kill, remove);
    }

    Wanted withKill() {
        return new Wanted(prepare, start, stop, dump, incident, finish, true, remove);
    }

    Wanted withRemove() {
        return new Wanted(prepare, start, stop, dump, incident, finish, true, true);
    }

    /** Whether the start that is wanted is not to be ended as well. */
    boolean startStands() {
        return start > stop && !finish && !kill;
    }
}
