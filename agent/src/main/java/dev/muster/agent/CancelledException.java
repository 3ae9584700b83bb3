package dev.muster.agent;

import java.io.IOException;

/** Data is no longer moved, because something else is wanted. */
final class CancelledException extends IOException {

    private static final long serialVersionUID = 1L;

    CancelledException() {
        super("cancelled");
    }
}
