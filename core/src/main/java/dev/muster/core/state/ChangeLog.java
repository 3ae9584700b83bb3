package dev.muster.core.state;

/**
 * Which nodes changed lately, so that a fit index can follow when it is next used. Not part of the
 * state: taking a change back is one more change, its version never goes back.
 */
public final class ChangeLog implements UndoLog.Target {

    private static final int RECENT = 1 << 13;
    private static final int SHAPE = -1;

    private final UndoLog undo;
    private final int[] recent = new int[RECENT];
    private long version;
    private long shapeVersion;

    ChangeLog(UndoLog undo) {
        this.undo = undo;
    }

    /** Counts changes of nodes. */
    public long version() {
        return version;
    }

    /** Counts changes of which nodes there are and what they have in all. */
    public long shapeVersion() {
        return shapeVersion;
    }

    /** Whether all changes after {@code since} are still known one by one. */
    public boolean reachesBackTo(long since) {
        return version - since <= RECENT;
    }

    /** The node of the change that led from {@code version} to the next one. */
    public int node(long version) {
        return recent[(int) version & (RECENT - 1)];
    }

    void touch(int node) {
        note(node);
        if (undo.active()) {
            undo.record(this, node, 0);
        }
    }

    void touchShape() {
        shapeVersion++;
        if (undo.active()) {
            undo.record(this, SHAPE, 0);
        }
    }

    private void note(int node) {
        recent[(int) version & (RECENT - 1)] = node;
        version++;
    }

    @Override
    public void undo(int index, long old) {
        if (index == SHAPE) {
            shapeVersion++;
        } else {
            note(index);
        }
    }
}
