package dev.muster.bench;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Small real jobs of many kinds; each says in the ledger that it begins and that it came to its
 * end.
 */
final class KillJobs {

    static final String PROJECT = "kill";
    private static final String MISSING = "obs://kill/nowhere";
    private static final String KILLED = "kill -9 $$";

    /** What a job is; the weight says how often it comes. */
    enum Kind {
        PLAIN(24, 1),
        GANG(10, 2),
        /** Is killed from outside once. */
        RESTARTED(3, 1),
        /** One of its instances is, so that all are restarted. */
        GANG_RESTARTED(3, 2),
        /** Needs each tier. */
        CLIMBING(2, 1),
        FAILING(2, 1),
        HANGING(1, 1),
        ENDLESS(1, 1),
        /** Brings code in and outputs out. */
        DATA(2, 2),
        UNPREPARED(1, 1);

        private final int weight;
        private final int instances;

        Kind(int weight, int instances) {
            this.weight = weight;
            this.instances = instances;
        }

        int instances() {
            return instances;
        }

        /** The states in which it may end. */
        Set<String> ends() {
            return switch (this) {
                case PLAIN, GANG, RESTARTED, GANG_RESTARTED, HANGING, DATA -> Set.of("SUCCEEDED");
                // what else breaks meanwhile may use its budget up
                case CLIMBING -> Set.of("SUCCEEDED", "FAILED");
                case FAILING, UNPREPARED -> Set.of("FAILED");
                case ENDLESS -> Set.of("STOPPED");
            };
        }
    }

    /** One to submit, under a key of its own. */
    record Job(String key, Kind kind, JsonObject spec) {}

    private final KillLedger ledger;
    private final Random random;
    private final AtomicLong numbers = new AtomicLong();

    KillJobs(KillLedger ledger, long seed) {
        this.ledger = ledger;
        this.random = new Random(seed);
    }

    /** Lays out what the jobs bring in. */
    static void layOut(Path store) {
        try {
            Path code = store.resolve("kill/code");
            Files.createDirectories(code);
            Files.writeString(code.resolve("run.sh"), "echo done > \"$out/done\"\n");
        } catch (IOException e) {
            throw new BenchFailed("the code of jobs cannot be laid out: " + e.getMessage(), e);
        }
    }

    synchronized Job any() {
        int total = 0;
        for (Kind each : Kind.values()) {
            total += each.weight;
        }
        int place = random.nextInt(total);
        for (Kind each : Kind.values()) {
            place -= each.weight;
            if (place < 0) {
                return of(each);
            }
        }
        throw new IllegalStateException("beyond all weights");
    }

    Job of(Kind kind) {
        String name = "kill-" + numbers.incrementAndGet();
        JsonObject spec =
                new JsonObject()
                        .put("name", name)
                        .put("project", PROJECT)
                        .put("instances", kind.instances)
                        .put("resources", new JsonObject().put("accelerators", 1));
        String command =
                switch (kind) {
                    case PLAIN, UNPREPARED -> "true";
                    case GANG -> "sleep 0.3";
                    case RESTARTED -> ledger.unlessBefore(name, 1, KILLED);
                    case GANG_RESTARTED ->
                            "if test $VC_TASK_INDEX = 1; then "
                                    + ledger.unlessBefore(name, 1, KILLED)
                                    + "; else sleep 1; fi";
                    case CLIMBING -> ledger.unlessBefore(name, 3, KILLED);
                    case FAILING -> "exit 3";
                    case HANGING -> ledger.unlessBefore(name, 1, "sleep 600");
                    case ENDLESS -> "sleep 600";
                    case DATA -> "sh $MA_JOB_DIR/code/run.sh";
                };
        spec.put("command", ledger.framed(command));
        furnish(kind, spec);
        return new Job(name, kind, spec);
    }

    private static void furnish(Kind kind, JsonObject spec) {
        switch (kind) {
            case PLAIN, GANG, FAILING, ENDLESS -> {}
            case RESTARTED, GANG_RESTARTED, CLIMBING -> spec.put("recovery", restarts());
            case HANGING ->
                    spec.put(
                            "recovery",
                            restarts()
                                    .put("hangRestart", true)
                                    .put("hangSilenceSeconds", 3)
                                    .put("startupSeconds", 0));
            case DATA ->
                    spec.put("codeDir", "obs://kill/code")
                            .put(
                                    "outputs",
                                    new JsonArray()
                                            .add(
                                                    new JsonObject()
                                                            .put("name", "out")
                                                            .put("target", "obs://kill/out")
                                                            .put("access", "env")));
            case UNPREPARED -> spec.put("codeDir", MISSING);
        }
    }

    /** Whoever judges exits may be dead when one happens: then too. */
    private static JsonObject restarts() {
        return new JsonObject()
                .put("autoRestart", true)
                .put("maxRestarts", 16)
                .put("unconditionalRestart", true);
    }
}
