package dev.muster.simulation;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/** One seed from its first request to rest. */
final class Run {

    /** While it lasts, users come and things go wrong. */
    static final long BUSY_MILLIS = 150_000;

    /** A clock that was stepped forward stands still for an hour once it is stepped back. */
    private static final long REST_MILLIS = 3 * 3_600_000L;

    private static final long LOOK_MILLIS = 1_000;

    private Run() {}

    /**
     * What became of a seed.
     *
     * @param violation the first, null for none
     */
    record Result(
            long seed,
            FaultPlan plan,
            @Nullable String violation,
            long steps,
            long events,
            long jobs,
            long faults,
            long millis) {

        /** The invariant without what broke it. */
        String invariant() {
            String all = violation == null ? "" : violation;
            int colon = all.indexOf(':');
            return colon < 0 ? all : all.substring(0, colon);
        }
    }

    static Result of(long seed, Plant plant) {
        return of(seed, FaultPlan.of(seed, BUSY_MILLIS), plant, null);
    }

    static Result of(long seed, FaultPlan plan, Plant plant, @Nullable Consumer<String> trace) {
        World world = new World(seed, plant, trace);
        world.faults.plan(plan);
        world.start();
        Oracle oracle = world.oracle;
        go(world, BUSY_MILLIS);
        world.faults.end();
        long limit = BUSY_MILLIS + REST_MILLIS;
        boolean rests = false;
        while (oracle.violation() == null && !rests && world.clock.now() < limit) {
            go(world, world.clock.now() + LOOK_MILLIS);
            rests = world.users.done() && oracle.unsettled() == null;
        }
        String left = rests || oracle.violation() != null ? null : oracle.unsettled();
        if (left != null) {
            oracle.violated(
                    left, "still so " + REST_MILLIS / 3_600_000 + " h after the last fault");
        } else if (!rests && oracle.violation() == null) {
            oracle.violated("every request is answered", "one is not");
        }
        return new Result(
                seed,
                plan,
                oracle.violation(),
                world.clock.steps(),
                oracle.events(),
                oracle.jobs(),
                world.faults.happened(),
                world.clock.now());
    }

    private static void go(World world, long untilMillis) {
        while (world.oracle.violation() == null && world.clock.step(untilMillis)) {
            // one thing after the other
        }
    }
}
