package dev.muster.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.domain.Event;

import org.junit.jupiter.api.Test;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

class SameBytesInAnyJvmTest {

    private static final String SEED = "9000";
    private static final String SEEDS = "12";

    @Test
    void theSameSeedGivesTheSameJournalInJvmsThatDifferInEverything() throws Exception {
        String plain = run("-XX:+UseSerialGC", "-Duser.language=en", "-Duser.timezone=UTC");
        String strange =
                run(
                        "-XX:+UseParallelGC",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UnlockExperimentalVMOptions",
                        "-XX:hashCode=3",
                        "-Duser.language=tr",
                        "-Duser.country=TR",
                        "-Duser.timezone=Asia/Kathmandu",
                        "-Dfile.encoding=ISO-8859-9");
        String g1 =
                run("-XX:+UseG1GC", "-Xint", "-Duser.language=ar", "-Duser.timezone=Pacific/Apia");

        assertThat(plain).hasLineCount(12).matches("(?s)[0-9a-f \n]+");
        assertThat(strange).isEqualTo(plain);
        assertThat(g1).isEqualTo(plain);
        assertThat(SimulationBytes.of(9000, 12)).isEqualTo(plain);
    }

    private static String run(String... options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx256m");
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", classPath(), SimulationBytes.class.getName(), SEED, SEEDS));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String out = read(process);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(out).isZero();
        return out;
    }

    private static String read(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static String classPath() throws Exception {
        List<String> places = new ArrayList<>();
        for (Class<?> each : List.of(Event.class, PoolCore.class, SimulationBytes.class)) {
            places.add(
                    Path.of(each.getProtectionDomain().getCodeSource().getLocation().toURI())
                            .toString());
        }
        return String.join(File.pathSeparator, places);
    }
}
