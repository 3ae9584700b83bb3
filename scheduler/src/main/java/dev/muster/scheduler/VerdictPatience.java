package dev.muster.scheduler;

import dev.muster.core.PoolCore;
import dev.muster.domain.Input;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Lets no time pass for verdicts while Kafka, by which they come, is away (S20): an exit that was
 * not the user's fault is not to end a job because nobody could say so.
 */
final class VerdictPatience {

    private static final Duration ASK = Duration.ofSeconds(1);

    private final Inbox inbox;
    private boolean away;

    VerdictPatience(Inbox inbox) {
        this.inbox = inbox;
    }

    /**
     * Adds an outage to a batch in which a verdict would be passed over: while Kafka is away, and
     * once more when it is back, since the monitor hears of the exit only then. Costs nothing
     * unless a verdict is due.
     *
     * @param clock that may have moved on while Kafka was asked
     */
    void check(PoolCore core, List<Input> batch, LongSupplier clock) {
        if (core.nextVerdictMillis() > clock.getAsLong()) {
            return;
        }
        boolean wasAway = away;
        away = !inbox.reaches(ASK);
        long now = clock.getAsLong();
        if ((away || wasAway) && core.nowMillis() < now) {
            batch.addFirst(new Input.OutageEnded(core.nowMillis(), now));
        }
    }
}
