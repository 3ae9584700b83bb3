package dev.muster.bench;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.HdrHistogram.Histogram;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Each process is stopped in order and started again, one after another, while requests come at
 * half of the rate that all of it can take: first two of each service, then Kafka and PostgreSQL,
 * of which there is one each, so that they are away for a while.
 */
@Command(
        name = "rolling",
        description =
                "Restart every process in turn under half load; exit status 1 when a request fails"
                        + " without Retry-After, or anything is lost or doubled.",
        mixinStandardHelpOptions = true)
final class RollingBench implements Callable<Integer> {

    private static final long PATIENCE_SECONDS = 300;

    @Option(
            names = "--rate",
            defaultValue = "0",
            description = "requests a second; 0: half of the peak, which is then measured")
    private int rate;

    @Option(
            names = "--quiet-seconds",
            defaultValue = "20",
            description = "at this rate before the first restart")
    private int quietSeconds;

    private final Histogram quiet = OpenLoad.histogram();
    private final Histogram services = OpenLoad.histogram();
    private final Histogram servers = OpenLoad.histogram();

    @Override
    public Integer call() throws InterruptedException {
        RollingStack stack = RollingStack.start();
        boolean holds = false;
        try (stack) {
            long peak = rate == 0 ? PeakRate.measure(stack.ports().getFirst(), stack.token()) : 0;
            int offered = rate == 0 ? Math.max(1, (int) (peak / 2)) : rate;
            RollingAudit audit = new RollingAudit(stack.directory().postgres());
            OpenLoad.Seen seen = roll(stack, offered);
            Progress.say("waiting for the end of " + seen.acknowledged().size() + " jobs");
            audit.end(seen.acknowledged(), PATIENCE_SECONDS);
            boolean durable = stack.directory().database().durable();
            JsonArray findings = stack.verify();
            findings.forEach(each -> Progress.say("verify: " + each));
            holds =
                    seen.failedWithout() == 0
                            && audit.lost() == 0
                            && audit.doubled() == 0
                            && findings.isEmpty();
            JsonObject line =
                    line(seen, offered)
                            .put("peak", peak)
                            .put("lost", audit.lost())
                            .put("doubled", audit.doubled())
                            .put("verify_findings", findings.size())
                            .put("durable", durable)
                            .put("heap_mb", stack.heapMebibytes());
            System.out.println(line.encode());
        } finally {
            if (holds) {
                stack.directory().discard();
            } else {
                Progress.say("see " + stack.directory().path());
            }
        }
        return holds ? 0 : 1;
    }

    private OpenLoad.Seen roll(RollingStack stack, int offered) throws InterruptedException {
        try (OpenLoad load =
                new OpenLoad(stack.ports(), stack.token(), offered, OpenLoad.CONNECTIONS)) {
            Progress.say("%d requests/s, nothing is restarted".formatted(offered));
            // what a first second costs is no part of it
            load.begin();
            TimeUnit.SECONDS.sleep(Math.max(1, quietSeconds / 2));
            load.measure(quiet);
            TimeUnit.SECONDS.sleep(quietSeconds);
            load.measure(services);
            restart(stack, RollingStack.services(), load);
            load.measure(servers);
            restart(stack, RollingStack.servers(), load);
            return load.end(PATIENCE_SECONDS);
        }
    }

    private static void restart(RollingStack stack, List<String> names, OpenLoad load)
            throws InterruptedException {
        for (String each : names) {
            RollingStack.Restart took = stack.restart(each);
            Progress.say(
                    "%s: stopped in %d ms, ready %d ms later; %d jobs"
                            .formatted(
                                    each,
                                    took.stopMillis(),
                                    took.startMillis(),
                                    load.acknowledged()));
        }
    }

    private JsonObject line(OpenLoad.Seen seen, int offered) {
        Histogram all = OpenLoad.histogram();
        all.add(services);
        all.add(servers);
        return new JsonObject()
                .put("bench", "rolling")
                .put("value", offered)
                .put("unit", "requests/s")
                .put("requests", seen.sent())
                .put("failed_without_retry_after", seen.failedWithout())
                .put("failed_with_retry_after", seen.failedWith())
                .put("retried", seen.retried())
                .put("p50_ms", millis(all, 50))
                .put("p99_ms", millis(all, 99))
                .put("p99_quiet_ms", millis(quiet, 99))
                .put("p99_services_ms", millis(services, 99))
                .put("p99_servers_ms", millis(servers, 99))
                .put("restarts", RollingStack.services().size() + RollingStack.servers().size())
                .put("restarted", new JsonArray(restarted()));
    }

    private static List<String> restarted() {
        return java.util.stream.Stream.concat(
                        RollingStack.services().stream(), RollingStack.servers().stream())
                .toList();
    }

    private static double millis(Histogram times, double percentile) {
        return AcceptBench.round(times.getValueAtPercentile(percentile) / 1e6, 2);
    }
}
