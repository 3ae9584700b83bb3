package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.storage.ObjectLocation;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

class DataTest {

    @TempDir Path base;

    private static OutputPlan output(boolean preDownload) {
        return new OutputPlan("out", ObjectLocation.parse("obs://b/o"), Access.ENV, preDownload);
    }

    private static InputPlan input(String name, String source) {
        return new InputPlan(name, ObjectLocation.parse(source), Access.ENV, true);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void bringsEachInputWhereTheSpecificationSays() throws IOException {
        try (Scene scene = Scene.running(base, "cd $MA_MOUNT_PATH && find inputs -type f | sort")) {
            scene.withObject("obs://b/cars/a/1", "1").withObject("obs://b/dogs/2.txt", "2");
            scene.inputs.add(input("car", "obs://b/cars/"));
            scene.inputs.add(input("dog", "obs://b/dogs/2.txt"));
            scene.create().start(1);
            scene.awaitExited(1, 0);
            assertThat(scene.log()).isEqualTo("inputs/car_0/a/1\ninputs/dog_1/2.txt\n");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "5, 9, 100, input in is too big: obs://b/in/2 has 6 bytes",
        "100, 1, 100, 'input in is too big: obs://b/in/2 brings the input above its limit of 1"
                + " files'",
        "100, 9, 8, 'input in is too big: obs://b/in/2 brings the input above its limit of 8"
                + " bytes'",
    })
    void refusesAnInputOverItsLimitsByName(long fileBytes, int files, long bytes, String message)
            throws IOException {
        try (Scene scene = new Scene(base)) {
            scene.withObject("obs://b/in/1", "123").withObject("obs://b/in/2", "123456");
            scene.inputs.add(input("in", "obs://b/in"));
            scene.limits = new DataLimits(bytes, files, fileBytes, 100, 100, 100);
            InstanceAgent agent = scene.create();
            agent.prepare();
            assertThat(scene.awaitFailure()).startsWith(message);
            assertThat(scene.directories().input("in", 0)).isEmptyDirectory();
            agent.finish();
            scene.awaitGone();
        }
    }

    @Test
    void namesAnInputThatIsMissing() throws IOException {
        try (Scene scene = new Scene(base)) {
            scene.inputs.add(input("in", "obs://b/none"));
            scene.create().prepare();
            assertThat(scene.awaitFailure())
                    .isEqualTo("input in cannot be brought in: nothing lies at obs://b/none");
        }
    }

    @Test
    void fetchesAgainOnlyWhatIsNotThereWhole() throws IOException {
        try (Scene scene = new Scene(base)) {
            scene.withObject("obs://b/in/1", "one").withObject("obs://b/in/2", "two");
            scene.inputs.add(input("in", "obs://b/in"));
            AtomicInteger fetched = new AtomicInteger();
            Consumer<String> count =
                    name -> fetched.addAndGet(name.equals("agent.fetched") ? 1 : 0);
            try (InstanceAgent agent =
                    InstanceAgent.create(scene.plan(), scene.settings(count), event -> {})) {
                agent.prepare();
                await().until(() -> agent.observe().prepared());
            }
            Files.delete(scene.directories().control().resolve(InstanceFacts.PREPARED));
            Path second = scene.directories().input("in", 0).resolve("2");
            Files.writeString(second, "half of it");
            try (InstanceAgent agent =
                    InstanceAgent.adopt(scene.root, scene.settings(count), event -> {})) {
                agent.prepare();
                await().until(() -> agent.observe().prepared());
            }
            assertThat(second).hasContent("two");
            assertThat(fetched).hasValue(3);
        }
    }

    @Test
    void carriesFinishedFilesWhileTheCommandRunsAndNoHalfOnes() throws IOException {
        try (Scene scene =
                Scene.running(
                        base,
                        """
                        cd $out; echo first > done
                        (while test ! -e ../stop; do echo more; sleep 0.05; done > growing) &
                        while test ! -e ../go; do sleep 0.02; done
                        rm done; touch ../stop; wait; echo end >> growing
                        """)) {
            scene.outputs.add(output(false));
            InstanceAgent agent = scene.create();
            agent.start(1);
            await().atMost(Scene.PATIENCE).until(() -> scene.exists("obs://b/o/done"));
            assertThat(scene.exists("obs://b/o/growing")).isFalse();
            Files.createFile(scene.directories().mount().resolve("outputs/go"));
            scene.awaitExited(1, 0);
            agent.finish();
            scene.awaitGone();
            assertThat(scene.object("obs://b/o/done")).isEqualTo("first\n");
            assertThat(scene.object("obs://b/o/growing")).endsWith("end\n");
        }
    }

    @Test
    void carriesAChangedFileAgain() throws IOException {
        try (Scene scene =
                Scene.running(
                        base,
                        "cd $out; echo 1 > f; while test ! -e ../go; do sleep 0.02; done;"
                                + " echo 2 > f")) {
            scene.outputs.add(output(false));
            InstanceAgent agent = scene.create();
            agent.start(1);
            await().atMost(Scene.PATIENCE).until(() -> scene.exists("obs://b/o/f"));
            Files.createFile(scene.directories().mount().resolve("outputs/go"));
            scene.awaitExited(1, 0);
            agent.finish();
            scene.awaitGone();
            assertThat(scene.object("obs://b/o/f")).isEqualTo("2\n");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "4, 9, 100, big: a file may have 4 bytes",
        "100, 1, 100, big: there may be 1 files",
        "100, 9, 6, big: all files together may have 6 bytes",
    })
    void stopsAtAnOutputsLimitAndLetsTheJobGoOn(long fileBytes, int files, long bytes, String why)
            throws IOException {
        try (Scene scene =
                Scene.running(base, "echo ok > $out/a; echo larger > $out/big; echo z > $out/z")) {
            scene.outputs.add(output(false));
            scene.limits = new DataLimits(0, 0, 0, bytes, files, fileBytes);
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitExited(1, 0);
            agent.finish();
            scene.awaitGone();
            assertThat(scene.events)
                    .filteredOn(InstanceEvent.Noticed.class::isInstance)
                    .singleElement()
                    .satisfies(notice -> assertThat(notice.toString()).contains(why));
            assertThat(scene.exists("obs://b/o/a")).isTrue();
            assertThat(scene.exists("obs://b/o/big")).isFalse();
            assertThat(scene.exists("obs://b/o/z")).isFalse();
        }
    }

    @Test
    void followsNoLinkOfTheCommand() throws IOException {
        Files.writeString(base.resolve("secret"), "secret");
        try (Scene scene =
                Scene.running(
                        base,
                        "ln -s $MA_HOME/../../../secret $out/file; ln -s $MA_HOME/../../.."
                                + " $out/dir; mkfifo $out/fifo; ln -s $MA_HOME/../../../secret"
                                + " $MA_LOG_DIR/x")) {
            scene.outputs.add(output(false));
            scene.logTarget = Optional.of(ObjectLocation.parse("obs://b/logs"));
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitExited(1, 0);
            agent.finish();
            scene.awaitGone();
            assertThat(scene.store.list(ObjectLocation.parse("obs://b/"), "", 100).objects())
                    .extracting(object -> object.location().key())
                    .containsExactly("logs/modelarts-job-4b1d-worker-1.log");
            assertThat(scene.events).filteredOn(InstanceEvent.Noticed.class::isInstance).hasSize(1);
        }
    }

    @Test
    void bringsAnOutputBackThatATrainingGoesOnFrom() throws IOException {
        try (Scene scene =
                Scene.running(base, "cat $out/ckpt/1; echo 2 > $out/ckpt/2; rm $out/ckpt/1")) {
            scene.withObject("obs://b/o/ckpt/1", "one\n");
            scene.outputs.add(output(true));
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitExited(1, 0);
            agent.finish();
            scene.awaitGone();
            assertThat(scene.log()).isEqualTo("one\n");
            assertThat(scene.object("obs://b/o/ckpt/1")).isEqualTo("one\n");
            assertThat(scene.object("obs://b/o/ckpt/2")).isEqualTo("2\n");
        }
    }

    @Test
    void saysThatTheLastSyncFailedAndStillEnds() throws IOException {
        try (Scene scene = Scene.running(base, "echo x > $out/x")) {
            scene.outputs.add(
                    new OutputPlan("out", ObjectLocation.parse("bos://b/o"), Access.ENV, false));
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitExited(1, 0);
            agent.finish();
            assertThat(scene.awaitFailure())
                    .contains("no store is configured for the scheme 'bos'");
            scene.awaitGone();
            assertThat(agent.observe().synced()).isFalse();
        }
    }

    @Test
    void followsTheLogAsItGrows() throws IOException, InterruptedException {
        try (Scene scene =
                Scene.running(
                        base, "echo one; while test ! -e go; do sleep 0.02; done; echo two")) {
            InstanceAgent agent = scene.create();
            LogFollower follower = agent.log().follow(0);
            assertThat(follower.next(Duration.ZERO)).isEmpty();
            agent.start(1);
            assertThat(text(follower.next(Scene.PATIENCE))).isEqualTo("one\n");
            Files.createFile(scene.directories().local(scene.plan().localCodeDir()).resolve("go"));
            assertThat(text(follower.next(Scene.PATIENCE))).isEqualTo("two\n");
            assertThat(text(agent.log().read(4, 3))).isEqualTo("two");
            assertThat(agent.log().size()).isEqualTo(8);
            assertThat(List.of(follower.offset())).containsExactly(8L);
        }
    }
}
