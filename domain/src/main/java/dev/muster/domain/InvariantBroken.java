package dev.muster.domain;

/** The state contradicts itself: a fault of Muster's own. The service stops loudly. */
public final class InvariantBroken extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    public InvariantBroken(String what) {
        super(what);
    }
}
