package dev.muster.scheduler;

import dev.muster.platform.config.Settings;
import dev.muster.platform.sql.Database;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Rolls what is old enough, at the start and from time to time, on a thread that may wait. */
final class RollLoop {

    private static final Logger LOG = LoggerFactory.getLogger(RollLoop.class);

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final JournalRoll roll;
    private final int seconds;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Thread thread;

    RollLoop(Database database, Settings settings) {
        this.roll =
                new JournalRoll(
                        database,
                        settings.get(SchedulerSettings.KEEP_WEEKS),
                        () -> stopping.getCount() == 0);
        this.seconds = settings.get(SchedulerSettings.ROLL_SECONDS);
        this.thread = Thread.ofVirtual().name("scheduler-roll").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            do {
                rollOnce();
            } while (!stopping.await(seconds, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What fails is tried again: the rows are where they were. */
    private void rollOnce() throws InterruptedException {
        try {
            roll.run();
        } catch (IOException | RuntimeException e) {
            LOG.warn("no week of the journal can be rolled now: {}", e.getMessage());
        }
    }

    /** Waits for the step that is under way, but not for a database that is gone. */
    void stop() throws InterruptedException {
        stopping.countDown();
        if (!thread.join(PATIENCE)) {
            LOG.warn("rolling is left in the middle of a step, which is begun again");
        }
    }
}
