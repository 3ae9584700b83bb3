package dev.muster.simulation;

import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobSpec;

import java.util.Map;

/**
 * How an instance behaves, as its job's environment says.
 *
 * @param fault of each process start until the cure: {@code exit}, {@code kill}, {@code hang},
 *     {@code refuse}, {@code vanish}, or anything else for none
 * @param cured whether the restart that helps has been
 */
record Course(long runMillis, String fault, int cureStart, boolean cured) {

    static Course of(JobSpec spec, InstanceRef ref) {
        Map<String, String> environment = spec.environment();
        String cure = environment.getOrDefault("CURE", "process");
        boolean cured =
                switch (cure) {
                    case "job" -> ref.attempt() > 1;
                    case "never" -> false;
                    default -> ref.attempt() > 1 || ref.incarnation() > 1;
                };
        boolean faulty = environment.getOrDefault("INDEX", "0").equals("" + ref.index());
        return new Course(
                Long.parseLong(environment.getOrDefault("RUN", "1000")) + 37L * ref.index(),
                faulty || environment.getOrDefault("FAULT", "").equals("hang")
                        ? environment.getOrDefault("FAULT", "")
                        : "",
                cure.equals("process") ? 2 : Integer.MAX_VALUE,
                cured);
    }

    private boolean faulty(int processStart) {
        return !cured && processStart < cureStart;
    }

    boolean refused() {
        return fault.equals("refuse") && !cured;
    }

    boolean vanishes() {
        return fault.equals("vanish") && !cured;
    }

    boolean hangs(int processStart) {
        return fault.equals("hang") && faulty(processStart);
    }

    int exitCode(int processStart) {
        if (!faulty(processStart)) {
            return 0;
        }
        return switch (fault) {
            case "exit", "vanish" -> 3;
            case "kill" -> 137;
            default -> 0;
        };
    }
}
