package dev.muster.bench;

import dev.muster.bench.KillPlan.AfterPause;
import dev.muster.bench.KillPlan.AtFailpoint;
import dev.muster.bench.KillPlan.AtMoment;
import dev.muster.bench.KillPlan.Blow;
import dev.muster.platform.config.Declarations;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.HdrHistogram.Histogram;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Seven processes under a steady load of real jobs, killed one after the other and in pairs, at
 * every failpoint and at any moment. What was promised is held against what clients, commands and
 * receivers of webhooks saw.
 */
@Command(
        name = "kill",
        description =
                "Kill -9 each process again and again under load; exit status 1 when anything is"
                        + " lost, doubled or partial.",
        mixinStandardHelpOptions = true)
final class KillBench implements Callable<Integer> {

    private static final int HALTED = 137;
    private static final long FAILPOINT_SECONDS = 40;
    private static final long SECOND_PUSH_SECONDS = 15;
    private static final long LOOK_MILLIS = 5;
    private static final long PUSH_MILLIS = 1500;

    @Option(names = "--kills", defaultValue = "200", description = "how many")
    private int kills;

    @Option(names = "--jobs-per-second", defaultValue = "4", description = "the load")
    private double perSecond;

    @Option(names = "--seed", defaultValue = "1", description = "of the kills and of the jobs")
    private long seed;

    @Option(
            names = "--verify-every",
            defaultValue = "1",
            description = "kills between two runs of `muster verify`")
    private int verifyEvery;

    @Option(
            names = "--failpoints",
            split = ",",
            description = "only these, each as often as the others")
    private List<String> only = List.of();

    private final Histogram recoveries = new Histogram(TimeUnit.HOURS.toMillis(1), 3);
    private final Set<String> reached = new TreeSet<>();
    private final Set<String> missed = new TreeSet<>();

    @Override
    public Integer call() throws InterruptedException {
        List<String> failpoints =
                only.isEmpty() ? KillPart.reachable(Declarations.allFailpoints()) : only;
        KillLedger ledger = KillLedger.create();
        KillStack stack = KillStack.start();
        boolean holds = false;
        try (stack;
                KillReceivers receivers = new KillReceivers();
                KillClient client = new KillClient(stack.port(), stack::token);
                KillLoad load = new KillLoad(client, new KillJobs(ledger, seed), perSecond)) {
            KillJobs.layOut(stack.directory().resolve("store"));
            Progress.say("starting seven processes on " + stack.directory());
            load.begin(receivers.subscriptions());
            Progress.say("the first job ended after " + load.recovered(System.nanoTime()) + " ms");
            KillAudit audit = new KillAudit(stack, load, ledger, receivers);
            KillPlan plan = new KillPlan(seed, failpoints, kills);
            for (int kill = 1; kill <= kills; kill++) {
                round(kill, plan.next(), stack, load, audit);
            }
            Progress.say("waiting for the end of " + load.count() + " jobs");
            audit.end(client);
            Progress.say("verify: " + audit.verify());
            holds = audit.holds();
            System.out.println(line(failpoints, stack, load, receivers, audit).encode());
        } finally {
            if (holds) {
                stack.discard();
                ledger.close();
            } else {
                Progress.say("see " + stack.directory() + " and " + ledger.directory());
            }
        }
        return holds ? 0 : 1;
    }

    private void round(int kill, Blow blow, KillStack stack, KillLoad load, KillAudit audit)
            throws InterruptedException {
        long since =
                switch (blow) {
                    case AtMoment at -> atMoment(at, stack);
                    case AfterPause after -> afterPause(after, stack);
                    case AtFailpoint at -> atFailpoint(at, stack, load);
                };
        long millis = load.recovered(since);
        recoveries.recordValue(millis);
        String verdict = "not run";
        if (kill % verifyEvery == 0) {
            load.pause();
            verdict = audit.verify();
            load.resume();
        }
        audit.look();
        Progress.say(
                "kill %d of %d: %s; recovered in %d ms; verify %s; %d jobs"
                        .formatted(kill, kills, blow, millis, verdict, load.count()));
    }

    private static long atMoment(AtMoment at, KillStack stack) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(at.afterMillis());
        long now = System.nanoTime();
        stack.kill(at.parts());
        return now;
    }

    private static long afterPause(AfterPause after, KillStack stack) throws InterruptedException {
        stack.signal(after.paused(), "STOP");
        TimeUnit.MILLISECONDS.sleep(after.pauseMillis());
        stack.signal(after.paused(), "CONT");
        return atMoment(new AtMoment(after.parts(), after.afterMillis()), stack);
    }

    /** One that is not reached in time is killed there and then. */
    private long atFailpoint(AtFailpoint at, KillStack stack, KillLoad load)
            throws InterruptedException {
        stack.arm(at.part(), at.failpoint(), at.reach());
        load.oneOfEach();
        long begun = System.nanoTime();
        boolean pushed = false;
        long now = begun;
        OptionalInt end = OptionalInt.empty();
        while (end.isEmpty() && now - begun < TimeUnit.SECONDS.toNanos(FAILPOINT_SECONDS)) {
            if (!pushed && now - begun > TimeUnit.SECONDS.toNanos(SECOND_PUSH_SECONDS)) {
                pushed = true;
                push(at.failpoint(), stack, load);
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            now = System.nanoTime();
            end = stack.ended(at.part());
            if (end.isPresent() && end.getAsInt() != HALTED) {
                // it could not start, since what it needs was only just coming up
                stack.arm(at.part(), at.failpoint(), at.reach());
                end = OptionalInt.empty();
            }
        }
        if (end.isPresent()) {
            reached.add(at.failpoint());
            missed.remove(at.failpoint());
        } else {
            if (!reached.contains(at.failpoint())) {
                missed.add(at.failpoint());
            }
            Progress.say(at.failpoint() + " was not reached");
            stack.kill(List.of(at.part()));
        }
        at.also().ifPresent(each -> stack.kill(List.of(each)));
        stack.release(at.part());
        return now;
    }

    /** What some steps need: an outcome that nobody tells, or a journal that stands still. */
    private static void push(String failpoint, KillStack stack, KillLoad load)
            throws InterruptedException {
        if (failpoint.equals("gateway.batch.resolved")) {
            stack.signal(KillPart.POSTGRES, "STOP");
            load.oneOfEach();
            TimeUnit.MILLISECONDS.sleep(PUSH_MILLIS);
            stack.kill(List.of(KillPart.POSTGRES));
        } else if (failpoint.equals("platform.lane.repeated")) {
            load.oneOfEach();
            stack.kill(List.of(KillPart.SCHEDULER));
        } else {
            load.oneOfEach();
        }
    }

    private JsonObject line(
            List<String> failpoints,
            KillStack stack,
            KillLoad load,
            KillReceivers receivers,
            KillAudit audit) {
        return new JsonObject()
                .put("bench", "kill")
                .put("value", recoveries.getMaxValue())
                .put("unit", "ms")
                .put("kills", kills)
                .put("processes_killed", stack.processesKilled())
                .put("ended_by_themselves", stack.ownEnds())
                .put("failpoints", reached.size())
                .put("failpoints_wanted", failpoints.size())
                .put("failpoints_missed", new JsonArray(List.copyOf(missed)))
                .put("jobs", load.count())
                .put("jobs_per_second", perSecond)
                .put("webhooks", receivers.events().size())
                .put("webhooks_repeated", receivers.repeats())
                .put("lost", audit.lost())
                .put("doubled", audit.doubled())
                .put("partial", audit.partial())
                .put("otherwise_wrong", new JsonArray(audit.otherwise()))
                .put("verified", audit.verified())
                .put("worst_recovery_ms", recoveries.getMaxValue())
                .put("p50_ms", recoveries.getValueAtPercentile(50))
                .put("p99_ms", recoveries.getValueAtPercentile(99))
                .put("seed", seed);
    }
}
