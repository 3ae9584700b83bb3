package dev.muster.platform.kafka;

import dev.muster.domain.Message;
import dev.muster.platform.run.Failpoints;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Hands messages to a lane in memory in their order, as many as its window takes. What waits here
 * is bounded by the caller: it has a handful of messages for each live instance. Of one thread, the
 * figures of any.
 */
public final class LaneFeed {

    /** Entries that are left free, since the lane learns of its deliveries a little later. */
    private static final int SPARE = 16;

    private final LaneSender lane;
    private final int window;
    private final String failpoint;
    private final Consumer<Throwable> failed;
    private final Queue<Message> waiting = new ArrayDeque<>();
    private final AtomicLong given = new AtomicLong();
    private volatile int held;

    /**
     * @param window entries that the lane keeps
     * @param failpoint reached whenever the lane has taken a message
     * @param failed is told when the lane refuses a message: order would be lost
     */
    public LaneFeed(LaneSender lane, int window, String failpoint, Consumer<Throwable> failed) {
        this.lane = lane;
        this.failpoint = failpoint;
        this.window = Math.max(1, window - SPARE);
        this.failed = failed;
    }

    public void add(Message message) {
        waiting.add(message);
    }

    /**
     * Gives the lane what it takes now.
     *
     * @return whether nothing waits any more
     */
    public boolean flush() {
        while (!waiting.isEmpty() && given.get() - lane.acknowledged() < window) {
            given.incrementAndGet();
            lane.append(waiting.remove())
                    .onSuccess(_ -> Failpoints.reach(failpoint))
                    .onFailure(failed::accept);
        }
        held = waiting.size();
        return waiting.isEmpty();
    }

    /** Messages that the pool's journal has not passed. */
    public long backlog() {
        return held + given.get() - lane.acknowledged();
    }
}
