package dev.muster.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

class SimulatedBackendTest extends BackendContract {

    @TempDir private Path directory = Path.of("");

    @Override
    InstanceBackend backend() {
        return new SimulatedBackend(List.of(), 0, new SimulatedHandover(directory.resolve("left")));
    }

    @Override
    JobSpec ending(int exitCode) {
        return Facts.spec(
                "unused",
                1,
                Map.of(
                        SimulatedCourse.RUN_MILLIS,
                        "5",
                        SimulatedCourse.EXIT_CODE,
                        Integer.toString(exitCode)));
    }

    @Override
    JobSpec hanging() {
        return Facts.watched("unused", 1, Map.of(SimulatedCourse.FAULT, "hang"));
    }

    @Test
    void aFaultLastsUntilItsCure() {
        SimulatedCourse course =
                SimulatedCourse.of(
                        Facts.spec(
                                "unused",
                                1,
                                Map.of(
                                        SimulatedCourse.FAULT,
                                        "exit",
                                        SimulatedCourse.CURED_BY,
                                        "container")),
                        0);
        InstanceRef first = Facts.instance(1, 0);
        assertThat(course.exitCode(first, 1)).isEqualTo(1);
        assertThat(course.exitCode(first, 2)).isEqualTo(1);
        assertThat(course.exitCode(new InstanceRef(Facts.JOB, 1, 0, 2), 1)).isZero();
        assertThat(course.exitCode(Facts.instance(2, 0), 1)).isZero();
    }

    @Test
    void anotherProcessGoesOnWithWhatASessionLeft() throws Exception {
        InstanceRef running = Facts.instance(1, 0);
        InstanceRef ended = Facts.instance(1, 1);
        try (InstanceBackend first = backend();
                BackendSession session = first.open(_ -> {})) {
            Grant grant = new Grant(Facts.JOB, 1, endless());
            session.make(grant, running, InstanceOrder.start(1));
            session.make(grant, ended, InstanceOrder.start(1));
            session.raise(ended, InstanceOrder.KILL);
        }

        List<InstanceChange> told = new CopyOnWriteArrayList<>();
        try (InstanceBackend next = backend();
                BackendSession session = next.open(told::add)) {
            assertThat(session.existing()).containsExactlyInAnyOrder(running, ended);
            session.adopt(ended);
            session.make(new Grant(Facts.JOB, 1, endless()), running, InstanceOrder.start(1));
            assertThat(told)
                    .containsExactly(
                            new InstanceChange.Prepared(ended),
                            new InstanceChange.Started(ended, 1),
                            new InstanceChange.Exited(ended, 1, 137),
                            new InstanceChange.Gone(ended),
                            new InstanceChange.Prepared(running),
                            new InstanceChange.Started(running, 1));
            session.release(Facts.JOB, 1);
        }
    }

    @Test
    void whatWasLeftIsTakenOnce() throws Exception {
        SimulatedHandover handover = new SimulatedHandover(directory.resolve("left"));
        SimulatedCourse course = SimulatedCourse.of(endless(), 0);
        SimulatedState first = SimulatedState.fresh(Facts.instance(1, 0), course);
        SimulatedState second =
                new SimulatedState(Facts.instance(2, 0), course, true, 3, 2, 137, false, 1_000);
        handover.leave(List.of(first));
        handover.leave(List.of(second));
        assertThat(handover.take()).containsExactly(first, second);
        assertThat(handover.take()).isEmpty();
    }

    @Override
    JobSpec endless() {
        return Facts.spec("unused", 1, Map.of(SimulatedCourse.RUN_MILLIS, "3600000"));
    }
}
