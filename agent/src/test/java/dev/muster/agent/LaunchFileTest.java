package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the supervisor's child, which may be root, is given to read. */
class LaunchFileTest {

    private static final Map<String, String> USERS =
            Map.of(
                    "LD_PRELOAD", "/tmp/own.so",
                    "LD_AUDIT", "/tmp/own.so",
                    "LD_LIBRARY_PATH", "/tmp",
                    "PATH", "/tmp/bin:/usr/bin:/bin");

    @TempDir Path base;

    private String launchFile(Optional<String> user, Map<String, String> variables)
            throws IOException, StepFailure {
        try (Scene scene = Scene.running(base, "true")) {
            scene.user = user;
            scene.environment = variables;
            InstancePlan plan = scene.plan();
            PlanFile.writeIfAbsent(plan);
            Files.createDirectories(new LaunchFile(plan).workingDirectory());
            Files.createDirectories(scene.directories().logs());
            new LaunchFile(plan).write(1);
            return ControlFiles.read(scene.directories().control(), "launch-1").orElseThrow();
        }
    }

    @Test
    void setsNothingOfTheUsersBeforeTheChangeOfUser() throws IOException, StepFailure {
        String text = launchFile(Optional.of("root"), USERS);

        assertThat(text).doesNotContain("export", "environment()");
        List<String> words = text.lines().map(String::strip).toList();
        int change = indexOf(words, "setpriv'");
        int fresh = indexOf(words, "'env'");
        assertThat(change).isNotNegative().isLessThan(fresh);
        assertThat(words.get(fresh + 1)).startsWith("'-i'");
        for (String name : USERS.keySet()) {
            assertThat(indexOf(words, name + "=")).as(name).isGreaterThan(fresh);
        }
    }

    @Test
    void savesAProgramWhereTheCommandHasTheServicesOwnUser() throws IOException, StepFailure {
        assertThat(launchFile(Optional.empty(), USERS))
                .contains("export", "LD_PRELOAD='/tmp/own.so'")
                .doesNotContain("'env'");
    }

    private static int indexOf(List<String> words, String part) {
        for (int n = 0; n < words.size(); n++) {
            if (words.get(n).contains(part)) {
                return n;
            }
        }
        return -1;
    }
}
