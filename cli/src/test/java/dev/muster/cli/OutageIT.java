package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Kafka is really away for longer than every silence that a job may have (S20). */
class OutageIT {

    private static final Duration OUTAGE = Duration.ofSeconds(90);
    private static final int JOBS = 20;
    private static final int SILENCE_SECONDS = 15;

    @TempDir private Path flags;

    @Test
    void S20_noJobIsRestartedOrLostWhileKafkaIsAwayAndVerdictsAreRightAfterwards()
            throws Exception {
        Files.setPosixFilePermissions(flags, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (Installation muster = new Installation()) {
            muster.run(Map.of(), "run", "postgres", "-c", "service.id=postgres");
            MusterProcess kafka = start(muster, "kafka");
            for (String service : List.of("scheduler", "gateway", "executor", "monitor")) {
                start(muster, service);
            }
            await().atMost(Duration.ofSeconds(90)).until(muster::serves);
            List<String> jobs = new ArrayList<>();
            for (int i = 0; i < JOBS; i++) {
                jobs.add(muster.submit(talking(i)));
            }
            jobs.forEach(id -> muster.awaitState(id, "RUNNING"));

            kafka.kill();
            long away = System.nanoTime();
            await().atMost(OUTAGE.plusSeconds(30))
                    .until(() -> System.nanoTime() - away > OUTAGE.toNanos());
            start(muster, "kafka");

            // one falls silent now, one ends badly, the others go on as ever
            Files.delete(flags.resolve("0"));
            Files.delete(flags.resolve("1"));
            await().atMost(Duration.ofMinutes(3))
                    .until(() -> types(muster, jobs.get(0)).contains("JobRestarted"));
            muster.awaitState(Duration.ofMinutes(2), jobs.get(1), "FAILED");
            for (String id : jobs.subList(2, JOBS)) {
                assertThat(types(muster, id)).doesNotContain("JobHanged", "JobRestarting");
                assertThat(muster.state(id)).isEqualTo("RUNNING");
            }
            assertThat(types(muster, jobs.get(1))).doesNotContain("JobHanged", "JobRestarting");
            jobs.forEach(id -> muster.muster("cancel", id));
            jobs.forEach(id -> muster.awaitState(Duration.ofMinutes(2), id, "STOPPED", "FAILED"));
            KillIT.assertSound(muster);
        }
    }

    private static MusterProcess start(Installation muster, String service) throws IOException {
        return muster.run(Map.of(), "run", service, "-c", "service.id=" + service);
    }

    /** Talks as long as its flag is there; job 1 then ends with an error, the others hang. */
    private ObjectNode talking(int number) throws IOException {
        Path flag = Files.createFile(flags.resolve(Integer.toString(number)));
        String then = number == 1 ? "exit 3" : "test $MA_PROC_START_CNT -gt 1 || sleep 600";
        ObjectNode spec =
                Installation.shellJob(
                        "talks-" + number,
                        1,
                        "while test -e %s; do echo tick; sleep 1; done; %s;".formatted(flag, then)
                                + " while :; do echo on; sleep 1; done");
        spec.putObject("resources").put("cpu", "100m");
        spec.putObject("recovery")
                .put("autoRestart", true)
                .put("hangRestart", true)
                .put("hangSilenceSeconds", SILENCE_SECONDS)
                .put("startupSeconds", 0);
        return spec;
    }

    private static List<String> types(Installation muster, String id) {
        List<String> types = new ArrayList<>();
        try (ApiClient api = muster.api()) {
            for (JsonNode event : api.get(Jobs.path(id) + "/events").path("items")) {
                types.add(EventLine.type(event));
            }
        }
        return types;
    }
}
