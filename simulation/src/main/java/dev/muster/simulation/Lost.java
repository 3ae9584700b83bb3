package dev.muster.simulation;

/** A statement or a record of which no answer came. */
final class Lost extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final boolean unknown;

    /**
     * @param unknown whether it may have happened, or may yet
     */
    Lost(String what, boolean unknown) {
        super(what, null, false, false);
        this.unknown = unknown;
    }

    boolean unknown() {
        return unknown;
    }
}
