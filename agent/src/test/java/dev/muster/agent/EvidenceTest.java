package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Commands that hang are ended, and what they were doing is kept. */
class EvidenceTest {

    private static final String EVIDENCE = "obs://muster/evidence/4b1d/1/3/1.txt";

    private static final String HANG =
            """
            if [ $MA_PROC_START_CNT = 2 ]; then echo second; exit 0; fi
            cat > hang.py <<'END'
            import threading, time
            def waits_for_a_peer(): time.sleep(1000)
            def loads_data(): time.sleep(1000)
            threading.Thread(target=loads_data).start()
            print('step=12', flush=True)
            waits_for_a_peer()
            END
            """;

    @TempDir Path base;

    static Stream<Isolation> isolations() {
        return Stream.of(Scene.BEST, Isolation.processTree());
    }

    private static void awaitKept(Scene scene, int processStart) {
        scene.awaitEvent(
                new InstanceEvent.EvidenceKept(scene.plan().id(), processStart, 3, EVIDENCE));
    }

    @ParameterizedTest
    @MethodSource("isolations")
    void holdsTheStacksOfAPythonScriptThatTheNextStartReplaces(Isolation isolation)
            throws IOException {
        try (Scene scene = Scene.running(base, HANG + "python3 hang.py; echo never")) {
            scene.isolation = isolation;
            scene.stopGraceMillis = 60_000;
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitLog("step=12");
            long begin = System.nanoTime();

            agent.stopHung(1, 3);
            agent.start(2);

            scene.awaitExited(2, 0);
            assertThat(System.nanoTime() - begin).isLessThan(20_000_000_000L);
            awaitKept(scene, 1);
            String text = scene.object(EVIDENCE);
            assertThat(text)
                    .contains("instance 4b1d.1.1.1, process start 1, incident 3")
                    .contains("in waits_for_a_peer", "in loads_data")
                    .contains("step 12")
                    .containsPattern("process [0-9]+: python3 hang.py")
                    .containsPattern("thread [0-9]+: python3 [SD] \\(.*, in .*\\n(.*\\n)*.*thread")
                    .contains("end 1\n")
                    .doesNotContain("\nsecond", "\nnever");
            assertThat(scene.log()).endsWith("second\n").doesNotContain("never");
            assertThat(agent.observe().processStarts())
                    .allSatisfy(start -> assertThat(start.starts()).isEqualTo(1));
        }
    }

    @ParameterizedTest
    @MethodSource("isolations")
    void isKeptOfACommandThatHearsNothing(Isolation isolation) throws IOException {
        try (Scene scene =
                Scene.running(
                        base, "trap '' TERM INT QUIT ABRT; echo up; (sleep 1000 & ); sleep 1001")) {
            scene.isolation = isolation;
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitLog("up");
            agent.stopHung(1, 3);
            scene.awaitExited(1, 137);
            agent.finish();
            awaitKept(scene, 1);
            scene.awaitGone();
            assertThat(scene.object(EVIDENCE)).contains("sleep", "1000");
            assertThat(Adoption.livingProcesses(scene.root)).isEmpty();
        }
    }

    @Test
    void isKeptOfArgumentsThatAreNoTextAndWithoutALog() throws IOException {
        try (Scene scene =
                Scene.running(
                        base,
                        "mv $MA_LOG_DIR $MA_LOG_DIR.away; ln -s /nowhere $MA_LOG_DIR; touch"
                                + " $MA_JOB_DIR/moved; sh -c 'sleep 1000; exit' \"$(printf"
                                + " 'odd\\377name')\" last")) {
            InstanceAgent agent = scene.create();
            Path folder = scene.directories().local(scene.plan().localCodeDir());
            agent.start(1);
            await().atMost(Scene.PATIENCE).until(() -> Files.exists(folder.resolve("moved")));
            scene.awaitStarted(1);
            agent.stopHung(1, 3);
            awaitKept(scene, 1);
            assertThat(scene.object(EVIDENCE))
                    .contains("sh -c sleep 1000; exit odd\ufffdname last", "sleep 1000 \n")
                    .contains("the log cannot be read: ");
            agent.finish();
            scene.awaitGone();
        }
    }

    @Test
    void isCarriedOutByTheNextAgentWhenTheStoreWasAway() throws IOException {
        try (Scene scene = Scene.running(base, "echo up; sleep 1000")) {
            InstanceAgent first = scene.create();
            first.start(1);
            scene.awaitLog("up");
            EvidenceKeeper keeper =
                    new EvidenceKeeper(
                            scene.plan(), scene.settings(_ -> {}), new NoSession(), first::signals);
            keeper.want(1, 3); // and the process dies here
            first.stop(1);
            scene.awaitExited(1, 143);
            first.close();
            InstanceAgent next = scene.adopt();
            awaitKept(scene, 1);
            assertThat(scene.object(EVIDENCE)).contains("none: the command ended before");
            next.close();
            scene.events.clear();
            scene.adopt();
            awaitKept(scene, 1);
        }
    }

    @Test
    void ofTheLastIncidentAloneIsToldAgain() throws IOException {
        try (Scene scene = Scene.running(base, "echo up $MA_PROC_START_CNT; sleep 1000")) {
            InstanceAgent first = scene.create();
            first.start(1);
            scene.awaitLog("up 1");
            first.stopHung(1, 3);
            first.start(2);
            scene.awaitLog("up 2");
            first.stopHung(2, 4);
            awaitKept(scene, 1);
            InstanceEvent last =
                    new InstanceEvent.EvidenceKept(
                            scene.plan().id(), 2, 4, "obs://muster/evidence/4b1d/1/4/1.txt");
            scene.awaitEvent(last);
            first.close();
            scene.events.clear();

            InstanceAgent next = scene.adopt();
            next.finish();
            scene.awaitGone();
            assertThat(scene.events)
                    .filteredOn(InstanceEvent.EvidenceKept.class::isInstance)
                    .containsExactly(last);
        }
    }

    @Test
    void isNotOfLaterStarts() throws IOException {
        try (Scene scene = Scene.running(base, "echo up $MA_PROC_START_CNT; sleep 1000")) {
            InstanceAgent agent = scene.create();
            agent.start(1);
            scene.awaitLog("up 1");
            agent.stopHung(1, 3);
            agent.start(2);
            scene.awaitStarted(2);
            agent.stopHung(1, 3);
            agent.stopHung(1, 4);
            agent.stop(2);
            scene.awaitExited(2, 143);
            await().atMost(Scene.PATIENCE).until(() -> scene.exists(EVIDENCE));
            assertThat(scene.exists("obs://muster/evidence/4b1d/1/4/1.txt")).isFalse();
        }
    }

    /** Of a process that dies before it does anything else. */
    private static final class NoSession implements Session {
        @Override
        public Wanted wanted() {
            return Wanted.NOTHING;
        }

        @Override
        public boolean closed() {
            return true;
        }

        @Override
        public void wake() {}

        @Override
        public void tell(InstanceEvent event) {}
    }
}
