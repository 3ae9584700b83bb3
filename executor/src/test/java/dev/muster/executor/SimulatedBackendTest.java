package dev.muster.executor;

import dev.muster.domain.JobSpec;

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
                        SimulatedBackend.RUN_MILLIS,
                        "5",
                        SimulatedBackend.EXIT_CODE,
                        Integer.toString(exitCode)));
    }

    @Override
    JobSpec endless() {
        return Facts.spec("unused", 1, Map.of(SimulatedBackend.RUN_MILLIS, "3600000"));
    }
}
