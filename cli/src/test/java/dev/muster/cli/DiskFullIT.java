package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A small disk that fills up and gets room again. */
class DiskFullIT {

    private static final String SIZE = "900m";

    private static int run(String... command) throws IOException {
        return new ProcessBuilder(command).inheritIO().start().onExit().join().exitValue();
    }

    @Test
    void acceptanceAnswers503WithThePathWhileTheDiskIsFullAndGoesOnAfterwards(@TempDir Path folder)
            throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=" + SIZE, "tmpfs", disk.toString()) == 0,
                "mounting a tmpfs is not permitted");
        try (Installation muster = new Installation(disk.resolve("data"))) {
            muster.up();
            muster.awaitState(
                    muster.submit(Installation.shellJob("before", 1, "true")), "SUCCEEDED");

            Path filler = disk.resolve("filler");
            fill(filler);
            CommandFailure refused = awaitRefusal(muster);
            Files.delete(filler);

            assertThat(refused.exitCode()).isEqualTo(ExitCodes.UNAVAILABLE);
            assertThat(refused).hasMessageContaining(muster.directory().toString());
            await().atMost(Duration.ofSeconds(60))
                    .ignoreExceptions()
                    .until(() ->
                            !muster.submit(Installation.shellJob("after", 1, "true")).isEmpty());
            String last = muster.submit(Installation.shellJob("last", 1, "true"));
            muster.awaitState(last, "SUCCEEDED");
            KillIT.assertSound(muster);
        } finally {
            run("umount", "-l", disk.toString());
        }
    }

    private static void fill(Path file) throws IOException {
        byte[] block = new byte[64 * 1024];
        try (OutputStream out = Files.newOutputStream(file)) {
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
    }

    /** PostgreSQL may still have room in files that it holds: submissions go on until they fail. */
    private static CommandFailure awaitRefusal(Installation muster) {
        CommandFailure[] refusal = new CommandFailure[1];
        await().atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(1))
                .until(() -> {
                    refusal[0] =
                            catchThrowableOfType(
                                    CommandFailure.class,
                                    () ->
                                            muster.submit(
                                                    Installation.shellJob("full", 1, "true")
                                                            .put("description", "x".repeat(250))));
                    return refusal[0] != null
                            && refusal[0].toString().contains(muster.directory().toString());
                });
        return refusal[0];
    }
}
