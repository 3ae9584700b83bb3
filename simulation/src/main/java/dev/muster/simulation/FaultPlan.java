package dev.muster.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The faults of a seed. */
record FaultPlan(List<Fault> faults) {

    private static final long HOUR = 3_600_000;

    /** Those whose process loses most by a fault are hit most. */
    private static final List<String> PROCESSES =
            List.of(
                    "scheduler-1",
                    "scheduler-2",
                    "scheduler-1",
                    "scheduler-2",
                    "executor-1",
                    "executor-2",
                    "executor-1",
                    "executor-2",
                    "gateway-1",
                    "gateway-2",
                    "gateway-1",
                    "gateway-2",
                    "monitor-1",
                    "monitor-2",
                    "notifier-1",
                    "notifier-2");

    private static final List<String> TOPICS =
            List.of("muster.commands", "muster.reports", "muster.events", "muster.progress");

    FaultPlan {
        faults = List.copyOf(faults);
    }

    static FaultPlan of(long seed, long spanMillis) {
        Random random = Clockwork.random(seed, 1);
        List<Fault> faults = new ArrayList<>();
        int count = 10 + random.nextInt(16);
        for (int i = 0; i < count; i++) {
            faults.add(one(random, spanMillis));
        }
        return new FaultPlan(faults);
    }

    private static Fault one(Random random, long span) {
        String process = PROCESSES.get(random.nextInt(PROCESSES.size()));
        String topic = TOPICS.get(random.nextInt(TOPICS.size()));
        long at = random.nextLong(span);
        int count = 1 + random.nextInt(12);
        int dice = random.nextInt(100);
        if (dice < 28) {
            return new Fault.Crash(process, at, count, 200 + random.nextInt(9_000));
        }
        if (dice < 38) {
            return new Fault.Pause(process, at, count, 500 + random.nextInt(20_000));
        }
        if (dice < 43) {
            return new Fault.ClockStep(process, at, random.nextBoolean() ? HOUR : -HOUR);
        }
        if (dice < 67) {
            Fault.Outcome[] all = Fault.Outcome.values();
            return new Fault.Statement(process, at, count, all[random.nextInt(all.length)]);
        }
        if (dice < 71) {
            return new Fault.DatabaseGone(at, 200 + random.nextInt(10_000));
        }
        if (dice < 75) {
            return new Fault.DatabaseSlow(at, 1_000 + random.nextInt(15_000), 3_000);
        }
        if (dice < 79) {
            return new Fault.KafkaAway(at, 200 + random.nextInt(10_000));
        }
        if (dice < 87) {
            return new Fault.Sending(process, at, count, random.nextBoolean());
        }
        if (dice < 89) {
            return new Fault.Truncated(topic, at);
        }
        if (dice < 91) {
            return new Fault.Recreated(topic, at);
        }
        if (dice < 97) {
            String repeated = random.nextBoolean() ? "muster.reports" : topic;
            return new Fault.Repeated(repeated, at, 20 + random.nextInt(300));
        }
        if (dice < 99) {
            return new Fault.NodeLost(random.nextInt(World.NODES), at, random.nextInt(20_000));
        }
        return new Fault.ReceiverDown(random.nextInt(3), at, random.nextInt(60_000));
    }

    FaultPlan without(int index) {
        List<Fault> fewer = new ArrayList<>(faults);
        fewer.remove(index);
        return new FaultPlan(fewer);
    }
}
