package dev.muster.simulation;

import io.vertx.core.Future;
import io.vertx.core.Promise;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * PostgreSQL as its clients see it. A statement happens at one moment or not at all, as one under
 * row locks does; what the client hears of it is another matter.
 */
final class SimDatabase {

    private final World world;
    final JournalTable journal;
    final LaneTable lanes = new LaneTable();
    final LeaseTable leases;
    final NotifierTable notifier;

    SimDatabase(World world) {
        this.world = world;
        this.journal = new JournalTable(world);
        this.leases = new LeaseTable(world.clock);
        this.notifier = new NotifierTable(world);
    }

    /**
     * Sends a statement. Fails with {@link Lost}.
     *
     * @param name for traces and for the steps at which the process may die
     */
    <T> Future<T> execute(SimProcess client, String name, Supplier<T> statement) {
        Promise<T> answer = Promise.promise();
        Clockwork clock = world.clock;
        if (!client.reach("before " + name)) {
            return answer.future();
        }
        Asker asker = new Asker(client, client.life());
        Fault.Outcome outcome = world.faults.statement(client);
        if (world.faults.databaseGone() || outcome == Fault.Outcome.REFUSED) {
            asker.reply(5, () -> answer.fail(new Lost(name + " was not sent", false)));
            return answer.future();
        }
        long there = clock.between(1, 4) + world.faults.databaseLatency();
        if (outcome == null) {
            clock.in(there, () -> run(asker, name, statement, answer, clock.between(1, 4)));
            return answer.future();
        }
        world.trace(() -> client + ": " + name + " " + outcome);
        switch (outcome) {
            case REFUSED, LOST_BEFORE -> {}
            case LOST_AFTER -> clock.in(there, () -> runUnheard(statement));
            case LATE -> clock.in(there + clock.between(100, 6_000), () -> runUnheard(statement));
        }
        long heard = outcome == Fault.Outcome.LOST_AFTER ? there + 2 : there;
        asker.reply(heard, () -> answer.fail(new Lost(name + " was lost", true)));
        return answer.future();
    }

    private void runUnheard(Supplier<?> statement) {
        if (!world.faults.databaseGone()) {
            Object unheard = statement.get();
            world.trace(() -> "unheard: " + unheard);
        }
    }

    private <T> void run(
            Asker asker, String name, Supplier<T> statement, Promise<T> answer, long back) {
        if (world.faults.databaseGone()) {
            asker.reply(back, () -> answer.fail(new Lost(name + " was cut", true)));
            return;
        }
        T result = statement.get();
        asker.reply(
                back + world.faults.databaseLatency(),
                () -> {
                    if (asker.process.reach("after " + name)) {
                        answer.complete(result);
                    }
                });
    }

    /** A process that was started anew hears no answer to what it asked in an earlier life. */
    private record Asker(SimProcess process, int life) {
        void reply(long millis, Runnable heard) {
            if (process.alive() && process.life() == life) {
                process.later(millis, heard);
            }
        }
    }

    /** Whether a failure leaves open what happened. */
    static boolean unknown(@Nullable Throwable cause) {
        return cause instanceof Lost lost && lost.unknown();
    }
}
