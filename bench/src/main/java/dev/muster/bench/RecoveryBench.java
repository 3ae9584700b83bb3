package dev.muster.bench;

import dev.muster.platform.run.ServiceRunner;

import io.vertx.core.json.JsonObject;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How soon a pool is decided on again after {@code kill -9}. A scheduler takes a queue of real
 * submissions through its own journal; then it is killed and started again with the same id, and
 * killed once more while another one stands by. Jobs go on to end all the while.
 */
@Command(
        name = "recovery",
        description =
                "Kill the scheduler of a large pool: time until it decides again, and until a"
                        + " standby grants.",
        mixinStandardHelpOptions = true)
final class RecoveryBench implements Callable<Integer> {

    private static final long PATIENCE_MINUTES = 20;
    private static final Pattern HISTOGRAM_TOTAL = Pattern.compile("Total\\s+(\\d+)\\s+(\\d+)");

    @Option(names = "--queued", defaultValue = "1000000", description = "jobs that wait")
    private int queued;

    @Option(names = "--running", defaultValue = "100000", description = "jobs that run")
    private int running;

    @Option(names = "--specs", defaultValue = "50000", description = "distinct specifications")
    private int specs;

    @Option(
            names = "--jvm",
            defaultValue = "-Xmx2g",
            split = " ",
            description = "options of the schedulers' JVM")
    private List<String> jvm = List.of();

    @Option(names = "--here", hidden = true, description = "in this JVM, whatever its heap")
    private boolean here;

    @Override
    public Integer call() throws InterruptedException {
        if (here) {
            run();
        } else {
            System.out.println(runApart());
        }
        return 0;
    }

    /** In a JVM with a small heap: three more of them run at the same time. */
    private String runApart() {
        List<String> arguments =
                List.of(
                        "bench",
                        "recovery",
                        "--here",
                        "--queued=" + queued,
                        "--running=" + running,
                        "--specs=" + specs,
                        "--jvm=" + String.join(" ", jvm));
        try (ChildProcess apart =
                ChildProcess.java(
                        "dev.muster.bench.Main",
                        List.of("-Xmx1g", "-XX:+UseSerialGC"),
                        arguments)) {
            return apart.line(line -> line.startsWith("{"));
        }
    }

    private void run() throws InterruptedException {
        JsonObject line = new JsonObject();
        try (RecoveryStack stack = RecoveryStack.start();
                ServiceRunner around = ServiceRunner.prepare(stack.settings());
                RecoveryLoad load = new RecoveryLoad(around.context(), specs)) {
            stack.archiveClasses();
            ChildProcess leader = stack.scheduler("a", jvm);
            served(leader, stack);
            build(stack, load);
            long goal = stack.headSeq();
            Progress.say("waiting for a snapshot of all of it");
            await("no snapshot", () -> stack.snapshotSeq() >= goal);
            Thread ending = ending(load);
            try {
                measure(stack, load, leader, line);
            } finally {
                ending.interrupt();
                ending.join();
            }
        }
        // who reads it ends this process
        System.out.println(line.encode());
    }

    private void build(RecoveryStack stack, RecoveryLoad load) throws InterruptedException {
        Progress.say("declaring nodes for " + running + " jobs that run");
        load.declareNodes(running);
        load.submit(running);
        await("not all run", () -> load.running() == running);
        Progress.say(running + " jobs run");
        load.submit(queued);
        await("the journal lacks records", load::journalled);
        Progress.say("the journal is at seq " + stack.headSeq());
    }

    private void measure(
            RecoveryStack stack, RecoveryLoad load, ChildProcess leader, JsonObject line)
            throws InterruptedException {
        long epoch = stack.epoch();
        Progress.say("kill -9, and the same id again");
        leader.kill();
        long begun = System.currentTimeMillis();
        ChildProcess again = stack.scheduler("a", jvm);
        long first = awaited("no decision", () -> stack.firstRowAfter(epoch)) - begun;
        stack.tellSteps(begun);
        Progress.say("the first decision came after " + first + " ms");
        served(again, stack);
        // the follower has loaded its own by then
        TimeUnit.SECONDS.sleep(20);
        long heap = heapMebibytes(again);
        Progress.say("its heap holds " + heap + " MiB");

        Progress.say("starting a standby");
        ChildProcess standby = stack.scheduler("b", jvm);
        served(standby, stack);
        long before = stack.epoch();
        Progress.say("kill -9 of the leader");
        again.kill();
        long lease = stack.leaseUntilMillis();
        long takeover = awaited("no grant", () -> stack.firstGrantAfter(before)) - lease;
        Progress.say("the standby's first grant came " + takeover + " ms after the lease");
        line.put("bench", "recovery")
                .put("value", first)
                .put("unit", "ms")
                .put("first_decision_ms", first)
                .put("takeover_ms", takeover)
                .put("heap_mb", heap)
                .put("queued", load.queued())
                .put("running", load.running())
                .put("specs", specs)
                .put("snapshot_mb", stack.snapshotBytes() / 1_000_000)
                .put("snapshot_write_ms", stack.snapshotMillis())
                .put("events", stack.headSeq())
                .put("jvm", String.join(" ", jvm));
    }

    private static Thread ending(RecoveryLoad load) {
        return Thread.ofVirtual()
                .start(() -> {
                    try {
                        while (true) {
                            load.endOne();
                            TimeUnit.MILLISECONDS.sleep(20);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
    }

    private static void served(ChildProcess scheduler, RecoveryStack stack) {
        try {
            scheduler.line(line -> line.startsWith("scheduler runs"));
        } catch (BenchFailed e) {
            throw new BenchFailed(e.getMessage() + ", see " + stack.log(), e);
        }
    }

    private static void await(String otherwise, BooleanSupplier condition)
            throws InterruptedException {
        awaited(otherwise, () -> condition.getAsBoolean() ? 1 : 0);
    }

    /** The first value that is not 0. */
    private static long awaited(String otherwise, LongSupplier value) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(PATIENCE_MINUTES);
        while (System.nanoTime() < deadline) {
            long found = value.getAsLong();
            if (found != 0) {
                return found;
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        throw new BenchFailed(otherwise + " after " + PATIENCE_MINUTES + " minutes");
    }

    /** What is left after a full collection. */
    private static long heapMebibytes(ChildProcess process) throws InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        try {
            Process asked =
                    new ProcessBuilder(
                                    jcmd.toString(),
                                    Long.toString(process.pid()),
                                    "GC.class_histogram")
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            String answer =
                    new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            asked.waitFor();
            Matcher total = HISTOGRAM_TOTAL.matcher(answer);
            if (!total.find()) {
                throw new BenchFailed("the heap cannot be measured: " + answer);
            }
            return Long.parseLong(total.group(2)) >> 20;
        } catch (IOException e) {
            throw new BenchFailed("the heap cannot be measured: " + e.getMessage(), e);
        }
    }
}
