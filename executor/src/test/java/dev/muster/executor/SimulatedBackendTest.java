package dev.muster.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobSpec;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

class SimulatedBackendTest extends BackendContract {

    @Override
    InstanceBackend backend() {
        return new SimulatedBackend(List.of(), 0);
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

    @Override
    JobSpec endless() {
        return Facts.spec("unused", 1, Map.of(SimulatedCourse.RUN_MILLIS, "3600000"));
    }
}
