package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.storage.ObjectLocation;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

class InstanceAgentTest {

    @TempDir Path base;

    @Test
    void runsACommandOnItsDataAndCarriesItsResultsOut() throws IOException {
        try (Scene scene =
                Scene.running(base, "python3 demo-code/train.py # a comment is no parameter")) {
            scene.withObject(
                            "obs://b/train/demo-code/train.py",
                            """
                            import os, sys
                            args = dict(zip(sys.argv[1::2], sys.argv[2::2]))
                            data = open(os.path.join(args['--car'], 'a/x.txt')).read()
                            out = os.path.join(os.environ['train_url'], 'model.txt')
                            open(out, 'w').write(data + args['--lr'])
                            print('trained', os.environ['RANK'], os.getcwd())
                            """)
                    .withObject("obs://b/cars/a/x.txt", "car ");
            scene.program = new Program.ShellCommand("python3 demo-code/train.py\n");
            scene.code = Optional.of(ObjectLocation.parse("obs://b/train/demo-code/"));
            scene.parameters.add(new Parameter("lr", "0.1 'quoted' $HOME"));
            scene.inputs.add(
                    new InputPlan(
                            "car", ObjectLocation.parse("obs://b/cars"), Access.PARAMETER, true));
            scene.outputs.add(
                    new OutputPlan(
                            "train_url", ObjectLocation.parse("obs://b/out/"), Access.ENV, false));
            scene.logTarget = Optional.of(ObjectLocation.parse("obs://b/logs"));
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitExited(1, 0);
            agent.finish();
            scene.awaitGone();

            InstanceId id = scene.plan().id();
            assertThat(scene.events)
                    .filteredOn(event -> !(event instanceof InstanceEvent.Signalled))
                    .containsExactly(
                            new InstanceEvent.Prepared(id),
                            new InstanceEvent.Started(id, 1),
                            new InstanceEvent.Exited(id, 1, 0),
                            new InstanceEvent.Synced(id),
                            new InstanceEvent.Gone(id));
            assertThat(scene.object("obs://b/out/model.txt")).isEqualTo("car 0.1 'quoted' $HOME");
            assertThat(scene.object("obs://b/logs/modelarts-job-4b1d-worker-1.log"))
                    .isEqualTo(
                            "trained 1 " + scene.root + "/home/ma-user/modelarts/user-job-dir\n");
            assertThat(agent.observe().processStarts())
                    .singleElement()
                    .satisfies(start -> assertThat(start.starts()).isEqualTo(1));
        }
    }

    @Test
    void startsAgainUnderTheNextNumberInTheSameLog() throws IOException {
        try (Scene scene = Scene.running(base, "echo start $MA_PROC_START_CNT; exit 7")) {
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitExited(1, 7);
            agent.start(1);
            agent.start(3);
            scene.awaitExited(3, 7);
            agent.start(2);
            agent.finish();
            scene.awaitGone();
            assertThat(scene.log()).isEqualTo("start 1\nstart 3\n");
            assertThat(agent.observe().processStarts())
                    .extracting(ProcessStart::number)
                    .containsExactly(1, 3);
        }
    }

    @Test
    void usesUpANumberThatIsStoppedBeforeItStarted() throws IOException {
        try (Scene scene = Scene.running(base, "echo ran $MA_PROC_START_CNT")) {
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitExited(1, 0);
            agent.stop(2);
            scene.awaitExited(2, 143);
            agent.start(2);
            agent.start(3);
            scene.awaitExited(3, 0);
            assertThat(scene.log()).isEqualTo("ran 1\nran 3\n");
        }
    }

    @Test
    void tellsTheSignalThatEndedTheCommand() throws IOException {
        try (Scene scene = Scene.running(base, "kill -SEGV $$")) {
            scene.create().start(1);
            scene.awaitExited(1, 139);
        }
    }

    @Test
    void handsTheEnvironmentOnByteForByte() throws IOException {
        try (Scene scene = Scene.running(base, "env -0 > \"$out\"/env")) {
            scene.environment = Map.of("TEXT", "two\nlines 'quoted' $HOME", "MA_HOME", "/mine");
            scene.outputs.add(
                    new OutputPlan("out", ObjectLocation.parse("obs://b/o"), Access.ENV, false));
            scene.create().start(1);
            scene.awaitExited(1, 0);
            Path file = scene.directories().output("out", 0).resolve("env");
            List<String> seen = List.of(Files.readString(file).split("\0"));
            List<String> given =
                    Variables.of(scene.plan(), 1).entrySet().stream()
                            .map(entry -> entry.getKey() + "=" + entry.getValue())
                            .toList();
            assertThat(seen)
                    .filteredOn(entry -> !entry.startsWith("PWD=") && !entry.startsWith("_="))
                    .containsExactlyInAnyOrderElementsOf(given);
            assertThat(given).contains("MA_HOME=" + scene.directories().home());
        }
    }

    @Test
    void leavesTheCommandAbleToHearAnInterrupt() throws IOException {
        try (Scene scene = Scene.running(base, "trap 'exit 9' INT; kill -INT $$")) {
            scene.create().start(1);
            scene.awaitExited(1, 9);
        }
    }

    @Test
    void failsByNameWhenTheWorkingDirectoryDoesNotExist() throws IOException {
        try (Scene scene = Scene.running(base, "true")) {
            scene.workingDir = Optional.of("/workspace/none");
            InstanceAgent agent = scene.create();
            agent.start(1);
            assertThat(scene.awaitFailure())
                    .isEqualTo(
                            "the working directory /workspace/none does not exist when the command"
                                    + " starts");
            agent.finish();
            scene.awaitGone();
        }
    }

    @Test
    void runsABootFileByItsKind() throws IOException {
        try (Scene scene = new Scene(base)) {
            scene.withObject("obs://b/code/run.sh", "echo \"$0\" \"$@\"");
            scene.code = Optional.of(ObjectLocation.parse("obs://b/code"));
            scene.program = new Program.BootFile("run.sh");
            scene.parameters.add(new Parameter("epochs", "3"));
            scene.create().start(1);
            scene.awaitExited(1, 0);
            assertThat(scene.log())
                    .endsWith("/home/ma-user/modelarts/user-job-dir/code/run.sh --epochs 3\n");
        }
    }

    @Test
    void outlivesItsAgentAndTellsTheNextOneWhatHappenedMeanwhile() throws IOException {
        try (Scene scene =
                Scene.running(
                        base,
                        "touch $MA_JOB_DIR/up; while test ! -e $MA_JOB_DIR/go; do sleep 0.02; done;"
                                + " exit 5")) {
            InstanceAgent first = scene.create();
            first.start(1);
            scene.awaitStarted(1);
            first.close();
            scene.events.clear();
            Files.createFile(scene.directories().local(scene.plan().localCodeDir()).resolve("go"));
            await().atMost(Scene.PATIENCE)
                    .until(() -> Adoption.examine(scene.root).exitCode(1).isPresent());
            assertThat(scene.events).isEmpty();
            InstanceAgent next = scene.adopt();
            next.start(1);
            scene.awaitExited(1, 5);
            next.finish();
            scene.awaitGone();
            assertThat(scene.adopt().observe().processStart(1).orElseThrow().starts()).isEqualTo(1);
        }
    }

    static Stream<Isolation> isolations() {
        return Stream.of(Scene.BEST, Isolation.byProgram().orElseThrow(), Isolation.processTree());
    }

    /**
     * Without a namespace the command outlives its supervisor: it is killed before that is told.
     */
    @ParameterizedTest
    @MethodSource("isolations")
    void saysThatItDiedWhenItsSupervisorIsKilled(Isolation isolation) throws IOException {
        try (Scene scene = Scene.running(base, "echo up; sleep 1000")) {
            scene.isolation = isolation;
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitLog("up");
            long supervisor = agent.observe().supervisorPid().orElseThrow();
            ProcessHandle.of(supervisor).orElseThrow().destroyForcibly();
            assertThat(scene.awaitFailure()).startsWith("the supervisor of the instance died");
            assertThat(Adoption.livingProcesses(scene.root)).isEmpty();
            agent.start(2);
            scene.awaitGone();
            assertThat(agent.observe().processStarts()).hasSize(1);
            assertThat(scene.log()).isEqualTo("up\n");
        }
    }

    @Test
    void stopsACommandThatKilledAllItCouldReach() throws IOException {
        try (Scene scene = Scene.running(base, "kill -9 -1; echo alone; sleep 1000")) {
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitLog("alone");
            agent.stop(1);
            scene.awaitExited(1, 137);
            agent.start(2);
            scene.awaitStarted(2);
        }
    }

    @Test
    void removesEverythingWithItsDirectory() throws IOException {
        try (Scene scene = Scene.running(base, "sleep 1000")) {
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitStarted(1);
            agent.remove();
            scene.awaitGone();
            await().atMost(Scene.PATIENCE).until(() -> !Files.exists(scene.root));
            assertThat(agent.observe().gone()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("isolations")
    void isStoppedThoughItMovedItsLogAway(Isolation isolation) throws IOException {
        try (Scene scene =
                Scene.running(
                        base,
                        "mv $MA_LOG_DIR $MA_LOG_DIR.away; ln -s /nowhere $MA_LOG_DIR; touch"
                                + " $MA_JOB_DIR/moved; until [ -e $MA_JOB_DIR/go ]; do sleep 0.05;"
                                + " done; exit 6")) {
            scene.isolation = isolation;
            InstanceAgent agent = scene.create();
            Path folder = scene.directories().local(scene.plan().localCodeDir());
            agent.start(1);
            await().atMost(Scene.PATIENCE).until(() -> Files.exists(folder.resolve("moved")));
            scene.awaitStarted(1);
            agent.stop(1);
            scene.awaitExited(1, 143);
            agent.finish();
            scene.awaitGone();
        }
    }

    @Test
    void endsByItselfThoughItMovedItsLogAway() throws IOException {
        try (Scene scene =
                Scene.running(
                        base,
                        "mv $MA_LOG_DIR $MA_LOG_DIR.away; ln -s /nowhere $MA_LOG_DIR; exit 6")) {
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitExited(1, 6);
            agent.start(2);
            assertThat(scene.awaitFailure()).contains("the log directory was moved or replaced");
            agent.finish();
            scene.awaitGone();
        }
    }

    @Test
    void replacesAScriptOfAnotherVersionThatNobodyRan() throws IOException {
        try (Scene scene = Scene.running(base, "exit 8")) {
            PlanFile.writeIfAbsent(scene.plan());
            ControlFiles.write(scene.directories().control(), SupervisorControl.SCRIPT, "exit 1\n");
            scene.adopt().start(1);
            scene.awaitExited(1, 8);
        }
    }
}
