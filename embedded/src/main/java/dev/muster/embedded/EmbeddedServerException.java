package dev.muster.embedded;

/**
 * An embedded server could not do what was asked. The message is one sentence for the person at the
 * terminal: it names the path or port and says what to do; it never holds a secret.
 */
public sealed class EmbeddedServerException extends RuntimeException permits DirectoryLock.Held {
    private static final long serialVersionUID = 1L;

    EmbeddedServerException(String sentence) {
        super(sentence);
    }

    EmbeddedServerException(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
