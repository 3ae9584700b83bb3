package dev.muster.scheduler;

/** Another process has raised the pool's epoch: this one decides nothing more for it. */
final class Fenced extends RuntimeException {

    private static final long serialVersionUID = 1L;

    Fenced(String message) {
        super(message, null, false, false);
    }
}
