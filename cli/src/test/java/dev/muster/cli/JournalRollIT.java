package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;

import dev.muster.cli.Installation.Said;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A Muster whose old weeks lie in the object store is one like any other. */
class JournalRollIT {

    private static final String[] SETTINGS = {
        "scheduler.snapshot.events=5",
        "scheduler.snapshot.keep=1",
        "scheduler.journal.rollSeconds=1"
    };

    @TempDir private Path folder;

    @Test
    void looksReplaysBacksUpAndRestoresAsBefore() throws Exception {
        Path backup = folder.resolve("muster.backup");
        String job;
        JsonNode told;
        try (Installation muster = new Installation()) {
            MusterProcess first = muster.up(SETTINGS);
            job = hello(muster);
            hello(muster);
            told = events(muster, job);
            first.close();
            age(muster);

            muster.up(SETTINGS);

            await().atMost(Duration.ofSeconds(90))
                    .pollInterval(Duration.ofMillis(500))
                    .until(() -> !rolled(muster).isEmpty());
            assertThat(events(muster, job)).isEqualTo(told);
            assertWell(muster);
            Said said = muster.muster("backup", backup.toString());
            assertThat(said.exitCode()).as(said.err()).isZero();
        }
        try (Installation restored = new Installation(folder.resolve("restored"))) {
            assertThat(restored.muster("restore", backup.toString()).exitCode()).isZero();
            assertWell(restored);
            MusterProcess up = restored.up(SETTINGS);
            assertThat(events(restored, job)).isEqualTo(told);
            hello(restored);
            assertWell(restored);
            up.close();
            saysWhatIsDamagedOrMissing(restored);
        }
    }

    private static void saysWhatIsDamagedOrMissing(Installation muster) throws IOException {
        Path part = part(muster.directory());
        byte[] content = Files.readAllBytes(part);
        content[content.length / 2] ^= 1;
        Files.write(part, content);

        Said verified = muster.muster("verify");
        assertThat(verified.exitCode()).isEqualTo(ExitCodes.FAILED);
        assertThat(verified.out())
                .contains("the journal is sound: the part", part.getFileName() + "", "is damaged");

        Files.delete(part);
        Said doctor = muster.muster("doctor");
        assertThat(doctor.exitCode()).isEqualTo(ExitCodes.FAILED);
        assertThat(doctor.out()).contains("WRONG   journal.rolled", "is not in");
    }

    private static void assertWell(Installation muster) {
        Said verified = muster.muster("verify", "--settle", "60");
        assertThat(verified.exitCode()).as(verified.out() + verified.err()).isZero();
        Said replayed = muster.muster("admin", "replay", "-o", "json");
        assertThat(replayed.exitCode()).as(replayed.out() + replayed.err()).isZero();
        assertThat(muster.muster("doctor").out()).contains("well    journal.rolled");
    }

    private static JsonNode rolled(Installation muster) {
        return Documents.json(muster.muster("admin", "rolled", "-o", "json").out()).path("items");
    }

    private static String hello(Installation muster) {
        String id = muster.submit(Installation.shellJob("hello", 1, "echo hello"));
        muster.awaitState(id, "SUCCEEDED");
        return id;
    }

    private static JsonNode events(Installation muster, String job) {
        try (ApiClient api = muster.api()) {
            return api.get(Jobs.path(job) + "/events").path("items");
        }
    }

    /** What every snapshot has passed was written twelve weeks ago. */
    private static void age(Installation muster) {
        ServerOptions options = new ServerOptions();
        new CommandLine(CommandSpec.forAnnotatedObject(options))
                .parseArgs("--data-dir", muster.directory().toString());
        try (OpenDirectory open = OpenDirectory.of(options)) {
            open.rows(
                    "UPDATE scheduler.journal SET at = at - interval '12 weeks' WHERE last_seq <="
                            + " (SELECT min(seq) FROM scheduler.snapshot)");
        }
    }

    private static Path part(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("journal"))) {
            List<Path> parts = files.filter(file -> file.toString().endsWith(".zst")).toList();
            return parts.getFirst();
        }
    }
}
