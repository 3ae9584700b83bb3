package dev.muster.scheduler;

import org.jspecify.annotations.Nullable;

/** The journal holds what this version cannot fold: it refuses to go on rather than guess. */
final class UnreadableJournal extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    UnreadableJournal(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
