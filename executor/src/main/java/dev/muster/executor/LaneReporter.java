package dev.muster.executor;

import dev.muster.domain.Report;
import dev.muster.platform.kafka.LaneSender;
import dev.muster.platform.run.Failpoints;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Hands reports to the lane in their order, as many as the lane's window takes. What waits here is
 * bounded by the live instances: each has a handful of reports in its life. Of the term's thread,
 * the figures of any.
 */
final class LaneReporter {

    /** Entries that are left free, since the lane learns of its deliveries a little later. */
    private static final int SPARE = 16;

    private final LaneSender lane;
    private final int window;
    private final Consumer<Throwable> failed;
    private final Queue<Report> waiting = new ArrayDeque<>();
    private final AtomicLong given = new AtomicLong();
    private volatile int held;

    /**
     * @param window entries that the lane keeps
     * @param failed is told when the lane refuses a report: order would be lost
     */
    LaneReporter(LaneSender lane, int window, Consumer<Throwable> failed) {
        this.lane = lane;
        this.window = Math.max(1, window - SPARE);
        this.failed = failed;
    }

    void report(Report report) {
        waiting.add(report);
    }

    /**
     * Gives the lane what it takes now.
     *
     * @return whether nothing waits any more
     */
    boolean flush() {
        while (!waiting.isEmpty() && given.get() - lane.acknowledged() < window) {
            given.incrementAndGet();
            lane.append(waiting.remove())
                    .onSuccess(_ -> Failpoints.reach("executor.report.sent"))
                    .onFailure(failed::accept);
        }
        held = waiting.size();
        return waiting.isEmpty();
    }

    /** Reports that the pool's journal has not passed. */
    long backlog() {
        return held + given.get() - lane.acknowledged();
    }
}
