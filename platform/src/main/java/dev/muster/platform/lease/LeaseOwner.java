package dev.muster.platform.lease;

import dev.muster.platform.run.Failpoints;
import dev.muster.platform.run.SerialLoop;

import io.vertx.core.Future;
import io.vertx.core.Promise;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Takes a lease, keeps it alive, and lets a term act as long as it holds: from one epoch to its
 * loss. A term that is over never acts again.
 */
public final class LeaseOwner {

    private static final Logger LOG = LoggerFactory.getLogger(LeaseOwner.class);

    /** Looks per lease. */
    private static final int LOOKS = 4;

    /** After a term that failed by itself, so that a lasting fault does not spin. */
    private static final long BREATH_MILLIS = 1000;

    /** What acts during one epoch. */
    public interface Term {
        void start();

        /** Acts no more once this is complete. */
        Future<Void> stop();
    }

    private final String name;
    private final SerialLoop loop;
    private final Lease lease;
    private final long leaseNanos;
    private final Function<Ownership, Term> terms;

    /**
     * One epoch of the lease.
     *
     * @param fail to be called when the term cannot go on; a new epoch follows
     */
    public record Ownership(long epoch, java.util.function.Consumer<Throwable> fail) {}

    private long timer = -1;
    private boolean asking;
    private boolean ending;
    private boolean stopped;
    private long validUntilNanos;
    private long notBeforeNanos;
    private @Nullable Term term;
    private volatile long epoch;
    private volatile String problem = "the lease was not asked for yet";

    /**
     * @param name of the service, for logs and for the failpoint {@code NAME.lease.taken}
     */
    public LeaseOwner(
            SerialLoop loop,
            String name,
            Lease lease,
            long leaseMillis,
            Function<Ownership, Term> terms) {
        this.name = name;
        this.loop = loop;
        this.lease = lease;
        this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
        this.terms = terms;
    }

    /** Makes the lease if the pool has none, then begins to ask for it; does not wait for it. */
    public Future<Void> start() {
        return lease.declare().compose(_ -> ask());
    }

    private Future<Void> ask() {
        Promise<Void> started = Promise.promise();
        loop.execute(() -> {
            notBeforeNanos = loop.nanoTime();
            timer = loop.every(TimeUnit.NANOSECONDS.toMillis(leaseNanos) / LOOKS, this::look);
            look();
            started.complete();
        });
        return started.future();
    }

    /** Epoch that is held, 0 for none. */
    public long epoch() {
        return epoch;
    }

    /** Why the lease is not held, empty when it is or when another service holds it. */
    public String problem() {
        return problem;
    }

    public Future<Void> stop() {
        Promise<Void> done = Promise.promise();
        loop.execute(() -> {
            stopped = true;
            loop.cancel(timer);
            boolean held = term != null;
            end("the service stops")
                    .eventually(() ->
                            held ? lease.release().otherwiseEmpty() : Future.succeededFuture())
                    .eventually(lease::close)
                    .onComplete(done);
        });
        return done.future();
    }

    private void look() {
        if (stopped) {
            return;
        }
        if (term != null && loop.nanoTime() - validUntilNanos > 0) {
            problem = "the lease could not be renewed in time";
            endQuietly(problem);
        }
        boolean early = term == null && loop.nanoTime() - notBeforeNanos < 0;
        if (asking || ending || early) {
            return;
        }
        asking = true;
        long asked = loop.nanoTime();
        Future<Void> step = term == null ? take(asked) : renew(asked);
        step.onComplete(result ->
                loop.execute(() -> {
                    asking = false;
                    if (result.failed() && term == null) {
                        problem = "the lease cannot be taken: " + result.cause().getMessage();
                    }
                }));
    }

    private Future<Void> take(long asked) {
        return lease.take().compose(this::onOurContext).map(taken -> begin(taken, asked));
    }

    private @Nullable Void begin(Optional<Long> taken, long asked) {
        if (taken.isEmpty()) {
            if (!problem.isEmpty()) {
                problem = "";
                LOG.info("{}: another one holds the lease; this one stands by", name);
            }
            return null;
        }
        if (stopped) {
            return null;
        }
        Failpoints.reach(name + ".lease.taken");
        validUntilNanos = asked + leaseNanos;
        long own = taken.get();
        epoch = own;
        problem = "";
        LOG.info("{}: the lease is taken with epoch {}", name, own);
        Term fresh =
                terms.apply(new Ownership(own, cause -> loop.execute(() -> failed(own, cause))));
        term = fresh;
        fresh.start();
        return null;
    }

    private Future<Void> renew(long asked) {
        long own = epoch;
        return lease.renew()
                .compose(this::onOurContext)
                .map(held -> {
                    if (own != epoch) {
                        return null;
                    }
                    if (held) {
                        validUntilNanos = asked + leaseNanos;
                    } else {
                        problem = "another service took the lease over";
                        endQuietly(problem);
                    }
                    return null;
                });
    }

    private void failed(long own, Throwable cause) {
        if (own != epoch || stopped) {
            return;
        }
        LOG.error("{}: the term of epoch {} failed", name, own, cause);
        problem = "the last term failed: " + cause.getMessage();
        notBeforeNanos = loop.nanoTime() + TimeUnit.MILLISECONDS.toNanos(BREATH_MILLIS);
        endQuietly(problem);
    }

    private void endQuietly(String why) {
        end(why).onFailure(cause -> LOG.warn("{}: the term did not end in order", name, cause));
    }

    private Future<Void> end(String why) {
        Term last = term;
        term = null;
        if (last == null) {
            return Future.succeededFuture();
        }
        LOG.info("{}: the term of epoch {} ends: {}", name, epoch, why);
        epoch = 0;
        // the next term begins only once this one acts no more
        ending = true;
        return last.stop().onComplete(_ -> loop.execute(() -> ending = false));
    }

    private <T> Future<T> onOurContext(T value) {
        Promise<T> here = Promise.promise();
        loop.execute(() -> here.complete(value));
        return here.future();
    }
}
