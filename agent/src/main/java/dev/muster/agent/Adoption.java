package dev.muster.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads what became of an instance from its directory alone, changing nothing. It tells the same as
 * {@link InstanceAgent#observe()} and needs no agent; {@code muster verify} counts starts with it.
 */
public final class Adoption {

    private Adoption() {}

    /**
     * @throws java.nio.file.NoSuchFileException if no plan lies below {@code root}
     */
    public static InstanceObservation examine(Path root) throws IOException {
        return InstanceFacts.read(PlanFile.read(root)).observation();
    }

    /** Processes of the instance that live, as the machine numbers them, the supervisor's too. */
    public static List<Long> livingProcesses(Path root) throws IOException {
        InstancePlan plan = PlanFile.read(root);
        Path control = plan.directories().control();
        return new InstanceProcesses(plan, SupervisorIdentity.read(control))
                .all().stream().map(ProcessTable.Entry::pid).toList();
    }
}
