package dev.muster.platform.lease;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * The one thread of a term. Work is done in order of arrival, in batches; after each batch the
 * caller's own step runs once, so that many small changes cost one comparison.
 *
 * <p>The queue's bound lies with those who fill it: one batch of records at a time, and a handful
 * of changes for each live instance.
 */
public final class TermLoop implements Executor {

    private static final int BATCH = 2048;

    private final BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Runnable afterBatch;
    private final Consumer<Throwable> failed;
    private final Thread thread;
    private volatile boolean stopping;

    /**
     * @param failed is told the first fault, after which nothing more is done
     */
    public TermLoop(String name, Runnable afterBatch, Consumer<Throwable> failed) {
        this.afterBatch = afterBatch;
        this.failed = failed;
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /** Nothing happens once the loop has ended. */
    @Override
    public void execute(Runnable work) {
        if (!stopping) {
            queue.add(work);
        }
    }

    /** Pieces of work that wait to be done. */
    public int waiting() {
        return queue.size();
    }

    /** Ends after what is being done now. Blocks until then, unless called by the loop itself. */
    public void stop() throws InterruptedException {
        stopping = true;
        queue.add(() -> {});
        if (Thread.currentThread() != thread) {
            ended.await();
        }
    }

    private void run() {
        try {
            while (!stopping) {
                Runnable next = queue.take();
                for (int n = 0; next != null && n < BATCH && !stopping; n++) {
                    next.run();
                    next = n + 1 < BATCH ? queue.poll() : null;
                }
                if (!stopping) {
                    afterBatch.run();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            failed.accept(e);
        } finally {
            stopping = true;
            queue.clear();
            ended.countDown();
        }
    }
}
