package dev.muster.executor;

import dev.muster.domain.Event;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.JobSnapshot.InstanceSnapshot;
import dev.muster.domain.Placement;
import dev.muster.domain.RecoveryState.OpenIncident;
import dev.muster.domain.Scenario;
import dev.muster.domain.Tier;

import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/** The live grant of a job: what its instances are to reach. Mutable, of one thread. */
final class DesiredJob {

    private final JobId job;
    private final int attempt;
    private final String specHash;
    private final DesiredInstance[] instances;
    private int processStart;
    private boolean ending;
    private Hung hung = Hung.NOTHING;

    /**
     * The process start that the latest restart ends because it hung.
     *
     * @param incident 0 for none
     */
    private record Hung(int incarnation, int processStart, int incident) {
        static final Hung NOTHING = new Hung(0, 0, 0);
    }

    private DesiredJob(JobId job, int attempt, String specHash, DesiredInstance[] instances) {
        this.job = job;
        this.attempt = attempt;
        this.specHash = specHash;
        this.instances = instances;
    }

    static DesiredJob granted(JobId job, int attempt, String specHash, List<Placement> placements) {
        DesiredInstance[] instances = new DesiredInstance[placements.size()];
        for (Placement each : placements) {
            instances[each.index()] =
                    new DesiredInstance(
                            new InstanceRef(job, attempt, each.index(), 1),
                            each.node(),
                            false,
                            false);
        }
        return new DesiredJob(job, attempt, specHash, instances);
    }

    static DesiredJob of(JobSnapshot snapshot) {
        JobId id = snapshot.ask().job();
        DesiredInstance[] instances = new DesiredInstance[snapshot.placements().size()];
        for (Placement each : snapshot.placements()) {
            InstanceSnapshot known = snapshot.instances().get(each.index());
            instances[each.index()] =
                    new DesiredInstance(
                            new InstanceRef(
                                    id, snapshot.attempt(), each.index(), known.incarnation()),
                            each.node(),
                            known.prepared() || known.startedProcess() > 0,
                            known.gone());
        }
        DesiredJob job = new DesiredJob(id, snapshot.attempt(), snapshot.specHash(), instances);
        job.processStart = snapshot.processStart();
        job.hung = hung(snapshot);
        job.ending =
                switch (snapshot.state()) {
                    case FINISHING, STOPPING, PREEMPTED -> true;
                    case RESTARTING -> snapshot.recovery().tier() == Tier.JOB;
                    case SUBMITTED,
                            QUEUED,
                            PREPARING,
                            STARTING,
                            RUNNING,
                            SUCCEEDED,
                            FAILED,
                            STOPPED ->
                            false;
                };
        return job;
    }

    /** After a restart by container, nobody knows any more which process start hung. */
    private static Hung hung(JobSnapshot snapshot) {
        OpenIncident open = snapshot.recovery().open();
        if (open == null || open.tier() == null || open.scenario() != Scenario.JOB_HANGED) {
            return Hung.NOTHING;
        }
        int incarnation =
                snapshot.instances().isEmpty() ? 1 : snapshot.instances().getFirst().incarnation();
        int incident = snapshot.recovery().incidents();
        return switch (open.tier()) {
            case PROCESS -> new Hung(incarnation, snapshot.processStart() - 1, incident);
            case CONTAINER -> Hung.NOTHING;
            case JOB -> new Hung(incarnation, snapshot.processStart(), incident);
        };
    }

    JobId job() {
        return job;
    }

    int attempt() {
        return attempt;
    }

    /** Of the specification that the job was accepted with. */
    String specHash() {
        return specHash;
    }

    /** In order of index. */
    List<DesiredInstance> instances() {
        return List.of(instances);
    }

    int size() {
        return instances.length;
    }

    /** How far an instance is to be brought, as long as it does not fail. */
    InstanceOrder order(InstanceRef instance) {
        boolean old = instance.incarnation() < instances[instance.index()].instance().incarnation();
        InstanceOrder order =
                ending || old
                        ? InstanceOrder.FINISH
                        : processStart > 0
                                ? InstanceOrder.start(processStart)
                                : InstanceOrder.PREPARE;
        boolean ends = order.ends() || hung.processStart == order.processStart() - 1;
        return hung.incident > 0 && hung.incarnation == instance.incarnation() && ends
                ? order.ending(hung.processStart, hung.incident)
                : order;
    }

    void start(int number) {
        processStart = Math.max(processStart, number);
    }

    /** Notes the counters that a restart leads to. */
    void restart(Event.JobRestarting e) {
        int incarnation = instances[0].instance().incarnation();
        if (e.incarnation() < incarnation) {
            return;
        }
        if (e.scenario() == Scenario.JOB_HANGED) {
            hung = new Hung(incarnation, processStart, e.incident());
        }
        switch (e.tier()) {
            case PROCESS -> start(e.processStart());
            case CONTAINER -> {
                if (e.incarnation() > incarnation) {
                    processStart = 0;
                    Arrays.setAll(instances, i -> instances[i].reincarnated(e.incarnation()));
                }
            }
            case JOB -> end();
        }
    }

    void end() {
        ending = true;
    }

    /** Notes a fact about an instance; one of an older incarnation, or of none, changes nothing. */
    void note(int index, int incarnation, UnaryOperator<DesiredInstance> fact) {
        if (index < instances.length && instances[index].instance().incarnation() == incarnation) {
            instances[index] = fact.apply(instances[index]);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DesiredJob that
                && job.equals(that.job)
                && attempt == that.attempt
                && specHash.equals(that.specHash)
                && processStart == that.processStart
                && ending == that.ending
                && hung.equals(that.hung)
                && Arrays.equals(instances, that.instances);
    }

    @Override
    public int hashCode() {
        return job.hashCode();
    }

    @Override
    public String toString() {
        return "%s.%d start %d %s %s"
                .formatted(
                        job,
                        attempt,
                        processStart,
                        ending ? "ending" : "",
                        Arrays.toString(instances));
    }
}
