package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.muster.storage.ObjectLocation;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/** A command that runs under another account than the service. */
class LocalUserTest {

    @TempDir Path base;

    @BeforeEach
    void onlyRootSwitchesUsers() {
        assumeTrue("root".equals(System.getProperty("user.name")));
    }

    @Test
    void runsTheCommandWithoutThePowersOfTheService() throws IOException {
        Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxr-xr-x"));
        String log = "$MA_LOG_DIR/modelarts-job-4b1d-worker-1.log";
        try (Scene scene =
                Scene.running(
                        base,
                        """
                        id -un; grep NoNewPrivs /proc/self/status
                        cat $MA_HOME/../../control/plan.properties
                        rm -f LOG; mv $MA_LOG_DIR $MA_LOG_DIR.away; mv $MA_MOUNT_PATH $MA_HOME/away
                        echo mine > $out/f; echo mine > $MA_LOG_DIR/own.txt; touch $HOME/x in.txt
                        """
                                .replace("LOG", log))) {
            scene.withObject("obs://b/code/in.txt", "x");
            scene.code = Optional.of(ObjectLocation.parse("obs://b/code"));
            scene.workingDir = Optional.of("/home/ma-user/modelarts/user-job-dir/code");
            scene.outputs.add(
                    new OutputPlan("out", ObjectLocation.parse("obs://b/o"), Access.ENV, false));
            scene.user = Optional.of("nobody");
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitExited(1, 0);
            agent.finish();
            scene.awaitGone();
            assertThat(scene.log())
                    .startsWith("nobody\nNoNewPrivs:\t1\n")
                    .contains("plan.properties: Permission denied")
                    .doesNotContain("job=4b1d");
            assertThat(scene.object("obs://b/o/f")).isEqualTo("mine\n");
        }
    }

    @Test
    void namesTheFolderThatTheUserCannotEnter() throws IOException {
        Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwx------"));
        try (Scene scene = new Scene(base)) {
            scene.user = Optional.of("nobody");
            scene.create().prepare();
            assertThat(scene.awaitFailure()).endsWith("user 'nobody' cannot enter " + base);
        }
    }

    @Test
    void namesAnAccountThatDoesNotExist() throws IOException {
        try (Scene scene = new Scene(base)) {
            scene.user = Optional.of("no-such-user");
            scene.create().prepare();
            assertThat(scene.awaitFailure()).contains("user 'no-such-user' is not in /etc/passwd");
        }
    }
}
