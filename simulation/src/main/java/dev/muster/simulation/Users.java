package dev.muster.simulation;

import dev.muster.domain.Command;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSpec;
import dev.muster.domain.ProjectId;
import dev.muster.domain.QueueId;
import dev.muster.domain.Resources;
import dev.muster.platform.codec.Codec;
import dev.muster.platform.codec.JobSpecJson;
import dev.muster.simulation.LaneTable.Item;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Users and operators: they submit, stop, preempt and cordon, and ask again when nobody answers.
 */
final class Users {

    private static final long PATIENCE_MILLIS = 4_000;
    private static final String[] FAULTS = {"exit", "kill", "hang", "refuse", "vanish"};
    private static final String[] CURES = {"process", "process", "job", "never", "container"};

    private final World world;
    private final Random random;
    private final List<JobId> known = new ArrayList<>();
    private int open;
    private long numbers;

    Users(World world, long seed) {
        this.world = world;
        this.random = Clockwork.random(seed, 2);
    }

    /** Whether every request that is to be answered was. */
    boolean done() {
        return open == 0;
    }

    void begin() {
        int jobs = 20 + random.nextInt(16);
        for (int i = 0; i < jobs; i++) {
            JobSpec spec = spec(i);
            String key = random.nextInt(5) > 0 ? "key-" + i : null;
            long at = random.nextLong(Run.BUSY_MILLIS * 2 / 3);
            open++;
            world.clock.at(at, () -> submit(spec, key, random.nextInt(2)));
        }
        for (int i = 0; i < 12; i++) {
            world.clock.at(random.nextLong(Run.BUSY_MILLIS), this::disturb);
        }
        for (int i = 0; i < 2; i++) {
            world.clock.at(random.nextLong(Run.BUSY_MILLIS), this::cordon);
        }
    }

    private void submit(JobSpec spec, @Nullable String key, int gateway) {
        JobId job = new JobId(random.nextLong(), random.nextLong());
        byte[] canonical = JobSpecJson.canonical(spec);
        Command.SubmitJob command =
                new Command.SubmitJob(
                        spec.ask(job),
                        spec.name(),
                        JobSpecJson.hash(canonical),
                        world.gateways.get(gateway).wallMillis());
        boolean[] answered = new boolean[1];
        world.gateways
                .get(gateway)
                .take(
                        new Item(job.toString(), command, canonical, key),
                        id -> {
                            JobId accepted = JobId.of(UUID.fromString(id));
                            world.oracle.acknowledged(accepted);
                            known.add(accepted);
                            if (!answered[0]) {
                                answered[0] = true;
                                open--;
                            }
                        });
        world.clock.in(
                PATIENCE_MILLIS,
                () -> {
                    if (!answered[0]) {
                        answered[0] = true;
                        submit(spec, key, 1 - gateway);
                    }
                });
    }

    private JobSpec spec(int number) {
        boolean never = random.nextInt(40) == 0;
        int devices =
                never ? 5000 : new int[] {0, 0, 300, 500, 1000, 2000, 4000}[random.nextInt(7)];
        boolean faulty = random.nextInt(5) < 2;
        String fault = faulty ? FAULTS[random.nextInt(FAULTS.length)] : "";
        int instances = random.nextInt(3) == 0 ? 2 + random.nextInt(3) : 1;
        TreeMap<String, String> environment = new TreeMap<>();
        // a fault after the window of progress would come back for ever
        boolean longRuns = !faulty && random.nextInt(4) == 0;
        environment.put("RUN", "" + (200 + random.nextInt(longRuns ? 60_000 : 8_000)));
        environment.put("FAULT", fault);
        environment.put("CURE", CURES[random.nextInt(CURES.length)]);
        environment.put("INDEX", "" + random.nextInt(instances));
        boolean hangs = fault.equals("hang");
        boolean restart = hangs || random.nextInt(3) > 0;
        JobSpec.Recovery recovery =
                new JobSpec.Recovery(
                        restart,
                        1 + random.nextInt(3),
                        restart && random.nextInt(3) > 0,
                        restart && (hangs || random.nextBoolean()),
                        hangs ? 60 : 0,
                        hangs ? 60 : 900,
                        List.of());
        if (hangs) {
            environment.put("CURE", "process");
        }
        return new JobSpec(
                "job-" + number,
                "",
                new ProjectId(number % 2 == 0 ? "research" : "vision"),
                World.POOL,
                new QueueId("default"),
                1 + random.nextInt(3),
                JobSpec.Framework.CUSTOM,
                instances,
                new JobSpec.ResourceAsk(
                        new Resources(1000 * random.nextInt(9), 1000 * random.nextInt(9), devices),
                        devices > 0 && random.nextInt(3) == 0 ? "A100" : ""),
                new JobSpec.Code(null, null, JobSpec.Code.DEFAULT_LOCAL_CODE_DIR, null),
                "train",
                List.of(),
                environment,
                List.of(),
                List.of(),
                0,
                null,
                random.nextInt(3) > 0,
                recovery);
    }

    private void disturb() {
        if (known.isEmpty()) {
            return;
        }
        JobId job = known.get(random.nextInt(known.size()));
        String id = "command-" + ++numbers;
        Command command =
                random.nextBoolean()
                        ? new Command.StopJob(id, job, "ann", "changed my mind")
                        : new Command.PreemptJob(id, job, "op", "room is needed");
        intend(id, command, false);
    }

    private void cordon() {
        String id = "cordon-" + ++numbers;
        int node = random.nextInt(World.NODES);
        intend(id, new Command.CordonNode(id, SimBackend.node(node), "op"), false);
        String back = "un" + id;
        open++;
        world.clock.in(
                20_000,
                () ->
                        intend(
                                back,
                                new Command.UncordonNode(back, SimBackend.node(node), "op"),
                                true));
    }

    private void intend(String id, Command command, boolean insist) {
        boolean[] answered = new boolean[1];
        world.gateways
                .get(random.nextInt(2))
                .take(
                        new Item(id, command, Codec.encode(command), null),
                        _ -> {
                            if (insist && !answered[0]) {
                                open--;
                            }
                            answered[0] = true;
                        });
        if (insist) {
            world.clock.in(
                    PATIENCE_MILLIS,
                    () -> {
                        if (!answered[0]) {
                            answered[0] = true;
                            intend(id, command, true);
                        }
                    });
        }
    }
}
