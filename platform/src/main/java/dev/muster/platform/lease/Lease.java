package dev.muster.platform.lease;

import io.vertx.core.Future;

import java.util.Optional;

/** A lease and its epoch, of which at most one holder at a time is the latest. */
public interface Lease {

    /** Makes the lease if there is none. */
    Future<Void> declare();

    /**
     * Raises the epoch if nobody holds the lease.
     *
     * @return the new epoch, empty while another one holds it
     */
    Future<Optional<Long>> take();

    /**
     * @return false when another process has raised the epoch
     */
    Future<Boolean> renew();

    /** Lets the next one take it at once. */
    Future<Void> release();

    Future<Void> close();
}
