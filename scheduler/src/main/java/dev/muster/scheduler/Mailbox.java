package dev.muster.scheduler;

import dev.muster.core.PoolCore;
import dev.muster.domain.Failure;
import dev.muster.platform.http.FailureException;

import io.vertx.core.Future;
import io.vertx.core.Promise;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Function;

/**
 * Questions to a core, answered on the thread that owns it, between its steps: nothing else touches
 * its state. Bounded; a question that finds it full is refused.
 */
final class Mailbox {

    private static final int CAPACITY = 64;

    private record Question<T>(Function<PoolCore, T> question, Promise<T> answer) {

        void answerFrom(PoolCore core) {
            try {
                answer.complete(question.apply(core));
            } catch (RuntimeException e) {
                answer.fail(e);
            }
        }
    }

    private final ArrayBlockingQueue<Question<?>> questions = new ArrayBlockingQueue<>(CAPACITY);
    private final Runnable wake;

    /**
     * @param wake makes the owning thread look here soon
     */
    Mailbox(Runnable wake) {
        this.wake = wake;
    }

    <T> Future<T> ask(Function<PoolCore, T> question) {
        Promise<T> answer = Promise.promise();
        if (!questions.offer(new Question<>(question, answer))) {
            return Future.failedFuture(
                    new FailureException(
                            new Failure.Overloaded("Too many questions wait for this pool.", 1)));
        }
        wake.run();
        return answer.future();
    }

    boolean isEmpty() {
        return questions.isEmpty();
    }

    /** On the owning thread. */
    void answerAll(PoolCore core) {
        Question<?> next;
        while ((next = questions.poll()) != null) {
            next.answerFrom(core);
        }
    }

    /** On the owning thread, when it has no state to answer from. */
    void refuseAll(String why) {
        Question<?> next;
        while ((next = questions.poll()) != null) {
            next.answer().fail(new FailureException(new Failure.Unavailable(why, 1)));
        }
    }
}
