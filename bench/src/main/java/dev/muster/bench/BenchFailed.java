package dev.muster.bench;

/** A benchmark that cannot give a figure. */
final class BenchFailed extends RuntimeException {

    private static final long serialVersionUID = 1L;

    BenchFailed(String message) {
        super(message);
    }

    BenchFailed(String message, Throwable cause) {
        super(message, cause);
    }
}
