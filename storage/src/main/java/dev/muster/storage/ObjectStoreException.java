package dev.muster.storage;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** An operation on an object store failed; the message is one sentence that names the object. */
public final class ObjectStoreException extends IOException {

    private static final long serialVersionUID = 1L;

    /** What the caller can do about it. */
    public enum Reason {
        /** Nothing lies there. */
        NOT_FOUND,
        /** The location can never be served by this store; a repeat is useless. */
        INVALID,
        /** The store refuses this caller. */
        DENIED,
        /** The store failed; a repeat may help. */
        UNAVAILABLE
    }

    private final Reason reason;

    public ObjectStoreException(Reason reason, String message) {
        this(reason, message, null);
    }

    public ObjectStoreException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
