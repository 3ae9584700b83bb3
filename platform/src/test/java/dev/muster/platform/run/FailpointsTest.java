package dev.muster.platform.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

class FailpointsTest {

    /** Runs in a process of its own. */
    public static final class Walker {
        private Walker() {}

        public static void main(String[] args) {
            System.out.println(Failpoints.problem().orElse("armed"));
            for (String each : args) {
                Failpoints.reach(each);
                System.out.println(each);
            }
        }
    }

    private record Ended(int status, List<String> lines) {}

    @Test
    void haltsAtTheNthReachAsAKillWould() throws Exception {
        String name = "platform.lane.published";
        Ended ended = run(name + ":2", "other", name, name, "after");
        assertThat(ended.status).isEqualTo(137);
        assertThat(ended.lines).containsExactly("armed", "other", name);
    }

    @Test
    void goesOnWhenNothingIsArmedOrTheNameIsUnknown() throws Exception {
        assertThat(run("", "a", "b").lines).containsExactly("armed", "a", "b");
        Ended typo = run("platform.lane.publishd", "a");
        assertThat(typo.lines)
                .containsExactly("MUSTER_CRASH_AT names no failpoint: platform.lane.publishd", "a");
        assertThat(typo.status).isZero();
    }

    private static Ended run(String crashAt, String... names)
            throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        ProcessBuilder builder =
                new ProcessBuilder(
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Walker.class.getName());
        builder.command().addAll(List.of(names));
        builder.environment().put("MUSTER_CRASH_AT", crashAt);
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), out.lines().toList());
    }
}
