package dev.muster.bench;

import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.observe.Logging;
import dev.muster.simulation.FaultBench;

import io.vertx.core.json.JsonObject;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** The whole system in virtual time with faults, seed by seed. */
@Command(
        name = "faults",
        description = "Simulate the whole system with faults; exit status 1 when a promise breaks.",
        mixinStandardHelpOptions = true)
final class FaultsBench implements Callable<Integer> {

    @Option(names = "--seeds", defaultValue = "1000", description = "how many runs")
    private long seeds;

    @Option(names = "--from", defaultValue = "1", description = "the first seed")
    private long from;

    @Option(names = "--plant", defaultValue = "none", description = "a bug that is to be found")
    private String plant = "none";

    @Override
    public Integer call() throws InterruptedException {
        // what a fault leads to is logged by the parts as in a service: here it is as planned
        Logging.apply(
                Settings.defaults()
                        .with(PlatformSettings.LOG_LEVEL, PlatformSettings.LogLevel.ERROR));
        long begun = System.nanoTime();
        FaultBench.Summary all =
                new FaultBench(plant, Progress::say)
                        .run(from, seeds, Runtime.getRuntime().availableProcessors());
        double seconds = (System.nanoTime() - begun) / (double) TimeUnit.SECONDS.toNanos(1);
        System.out.println(
                new JsonObject()
                        .put("bench", "faults")
                        .put("value", all.violations())
                        .put("unit", "violations")
                        .put("seeds", all.seeds())
                        .put("events", all.events())
                        .put("violations", all.violations())
                        .put("simulated_hours", rounded(all.simulatedHours()))
                        .put("wall_s", rounded(seconds))
                        .put("jobs", all.jobs())
                        .put("faults", all.faults())
                        .put("steps", all.steps())
                        .encode());
        return all.violations() == 0 ? 0 : 1;
    }

    private static double rounded(double value) {
        return Math.round(value * 10) / 10.0;
    }
}
