package dev.muster.platform.journal;

import org.jspecify.annotations.Nullable;

/** A part of the journal outside PostgreSQL is not there or is damaged; the message says which. */
public final class RolledUnreadable extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    RolledUnreadable(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
