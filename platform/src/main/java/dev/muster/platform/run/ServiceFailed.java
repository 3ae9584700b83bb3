package dev.muster.platform.run;

/** A service or what it needs cannot start; the message is one sentence for the user. */
public final class ServiceFailed extends RuntimeException {

    private static final long serialVersionUID = 1;

    ServiceFailed(String message, Throwable cause) {
        super(message, cause);
    }
}
