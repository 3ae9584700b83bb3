package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.muster.cli.Installation.Said;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

class BackupIT {

    private static final String TERMINAL = "SUCCEEDED";

    @TempDir private Path folder;

    /** Jobs that were acknowledged, as one client after the other sends them. */
    private static final class Load implements AutoCloseable {
        private final List<String> acknowledged = new ArrayList<>();
        private final AtomicBoolean ends = new AtomicBoolean();
        private final Thread thread;

        Load(Installation muster) {
            thread =
                    Thread.ofVirtual()
                            .start(() -> {
                                while (!ends.get()) {
                                    add(muster.submit(Installation.shellJob("load", 1, "true")));
                                }
                            });
        }

        private synchronized void add(String id) {
            acknowledged.add(id);
        }

        synchronized List<String> soFar() {
            return List.copyOf(acknowledged);
        }

        void awaitJobs(int jobs) {
            await().atMost(Duration.ofSeconds(60)).until(() -> soFar().size() >= jobs);
        }

        @Override
        public void close() {
            ends.set(true);
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void goesOnFromABackupMadeUnderLoadWithEveryJobAcknowledgedBefore() throws Exception {
        Path backup = folder.resolve("muster.backup");
        List<String> before;
        String running;
        try (Installation muster = new Installation()) {
            muster.up("executor.backend=simulated", "executor.simulated.nodes=4");
            Path object = muster.directory().resolve("store/care/model");
            Files.createDirectories(object.getParent());
            Files.writeString(object, "weights");
            running = muster.submit(simulated("long", 600_000));
            muster.awaitState(running, "RUNNING");
            try (Load load = new Load(muster)) {
                load.awaitJobs(20);
                before = load.soFar();
                Said said = muster.muster("backup", backup.toString());
                assertThat(said.exitCode()).as(said.err()).isZero();
                load.awaitJobs(before.size() + 5);
            }
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(backup)))
                .isEqualTo("rw-------");

        try (Installation restored = new Installation(folder.resolve("restored"))) {
            Said said = restored.muster("restore", backup.toString());
            assertThat(said.exitCode()).as(said.err()).isZero();
            assertThat(restored.directory().resolve("store/care/model")).hasContent("weights");

            restored.up("executor.backend=simulated", "executor.simulated.nodes=4");

            for (String each : before) {
                restored.awaitState(each, TERMINAL, "FAILED");
                // what ran in the moment of the backup does not run here
                assertThat(restored.job(each).path("cause").asText("")).isIn("", "INSTANCE_LOST");
            }
            assertThat(restored.state(running)).isNotEqualTo("SUBMITTED");
            String next = restored.submit(simulated("next", 0));
            restored.awaitState(next, TERMINAL);
            Said verified = restored.muster("verify", "--settle", "60");
            assertThat(verified.exitCode()).as(verified.out() + verified.err()).isZero();
        }
    }

    private static ObjectNode simulated(String name, int runMillis) {
        ObjectNode spec = Installation.shellJob(name, 1, "true");
        spec.putObject("environment").put("SIMULATED_RUN_MILLIS", Integer.toString(runMillis));
        return spec;
    }

    @Test
    void backsUpAStoppedDirectoryAndRefusesWhatIsDamagedOrInTheWay() throws Exception {
        Path backup = folder.resolve("muster.backup");
        String hello;
        try (Installation muster = new Installation()) {
            MusterProcess up = muster.up();
            hello = muster.submit(Installation.shellJob("hello", 1, "echo hello"));
            muster.awaitState(hello, TERMINAL);
            up.close();
            assertThat(muster.muster("backup", backup.toString()).exitCode()).isZero();
            assertThat(muster.muster("backup", backup.toString()).err())
                    .contains("never replaces a file");
            assertThat(muster.muster("restore", backup.toString()).err()).contains("is not empty");
        }
        refusesDamage(backup);

        try (Installation restored = new Installation(folder.resolve("restored"))) {
            assertThat(restored.muster("restore", backup.toString()).exitCode()).isZero();
            Said verified = restored.muster("verify");
            assertThat(verified.exitCode()).as(verified.out() + verified.err()).isZero();
            restored.up();
            assertThat(restored.state(hello)).isEqualTo(TERMINAL);
            Said replayed = restored.muster("admin", "replay");
            assertThat(replayed.exitCode()).as(replayed.out()).isZero();
        }
    }

    @Test
    void losesWhatRanWhenTheBackupWasMadeAndStartsItAgainWhereThatWasAskedFor() throws Exception {
        Path backup = folder.resolve("muster.backup");
        // where the user of the commands can look
        Path again = Path.of(System.getProperty("java.io.tmpdir"), "again-" + UUID.randomUUID());
        String lost;
        String restarted;
        try (Installation muster = new Installation()) {
            muster.up();
            String command = "test -e " + again + " || sleep 600";
            lost = muster.submit(Installation.shellJob("runs", 1, command));
            ObjectNode spec = Installation.shellJob("restarts", 1, command);
            spec.putObject("recovery").put("autoRestart", true);
            restarted = muster.submit(spec);
            muster.awaitState(lost, "RUNNING");
            muster.awaitState(restarted, "RUNNING");
            assertThat(muster.muster("backup", backup.toString()).exitCode()).isZero();
            assertThat(muster.muster("cancel", lost, "--wait").exitCode()).isZero();
            assertThat(muster.muster("cancel", restarted, "--wait").exitCode()).isZero();
        }
        Files.createFile(again);

        try (Installation restored = new Installation(folder.resolve("restored"))) {
            assertThat(restored.muster("restore", backup.toString()).exitCode()).isZero();
            restored.up("executor.answerMillis=2000");
            restored.awaitState(lost, "FAILED");
            assertThat(restored.job(lost).path("cause").asText()).isEqualTo("INSTANCE_LOST");
            restored.awaitState(restarted, "SUCCEEDED");
            Said verified = restored.muster("verify");
            assertThat(verified.exitCode()).as(verified.out() + verified.err()).isZero();
        } finally {
            Files.delete(again);
        }
    }

    private void refusesDamage(Path backup) throws IOException {
        byte[] whole = Files.readAllBytes(backup);
        byte[] changed = whole.clone();
        changed[whole.length / 2] ^= 1;
        Path target = folder.resolve("never");
        for (byte[] damaged : List.of(Arrays.copyOf(whole, whole.length / 2), changed)) {
            Path file = Files.write(folder.resolve("damaged"), damaged);

            Said said =
                    Installation.command(
                            "restore", file.toString(), "--data-dir", target.toString());

            assertThat(said.exitCode()).isEqualTo(ExitCodes.FAILED);
            assertThat(said.err()).contains("cannot be used as a backup");
            assertThat(target).doesNotExist();
        }
    }
}
