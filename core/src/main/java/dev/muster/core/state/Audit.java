package dev.muster.core.state;

import dev.muster.domain.Ask;
import dev.muster.domain.InvariantBroken;
import dev.muster.domain.JobState;
import dev.muster.domain.NodeShape;
import dev.muster.domain.Placement;
import dev.muster.domain.WaitReason;

import java.util.List;

/** Derives from the jobs what the tables keep about them, and compares. */
public final class Audit {

    private final PoolState state;
    private final JobTable jobs;
    private final NodeTable nodes;

    public Audit(PoolState state) {
        this.state = state;
        this.jobs = state.jobs;
        this.nodes = state.nodes;
    }

    /**
     * @throws InvariantBroken naming what does not hold
     */
    public void run() {
        state.checkTotals();
        checkJobs();
        checkUsage();
        checkShapes();
        checkDeadlines();
        new WaitAudit(state).run();
    }

    private void checkJobs() {
        int[] counts = new int[JobState.values().length];
        int count = 0;
        long age = 0;
        for (int job = jobs.first(); job != JobTable.NONE; job = jobs.after(job)) {
            count++;
            counts[JobTable.number(jobs.state(job))]++;
            Ask ask = jobs.asks.get(job);
            require(jobs.find(ask.job()) == job, "job " + ask.job() + " is not found by its id");
            require(jobs.submittedSeq.get(job) > age, "jobs are not in order of submission");
            age = jobs.submittedSeq.get(job);
            checkGrant(job, ask);
        }
        require(count == jobs.size(), count + " jobs are listed, " + jobs.size() + " are known");
        for (JobState each : JobState.values()) {
            require(
                    counts[JobTable.number(each)] == jobs.count(each),
                    jobs.count(each)
                            + " jobs are counted as "
                            + each
                            + ", "
                            + counts[JobTable.number(each)]
                            + " are");
        }
    }

    private void checkGrant(int job, Ask ask) {
        JobState now = jobs.state(job);
        int size = jobs.placements.get(job).size();
        require(!now.terminal(), "job " + ask.job() + " is " + now + " and still here");
        // between GangReleased and the end that follows in the same batch, nothing is held
        boolean ending =
                switch (now) {
                    case FINISHING, STOPPING, PREEMPTED, RESTARTING -> true;
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
        require(
                size == (now.holdsGrant() ? ask.instances() : 0) || (ending && size == 0),
                "job "
                        + ask.job()
                        + " is "
                        + now
                        + " and holds "
                        + size
                        + " places of "
                        + ask.instances());
        int prepared = 0;
        int started = 0;
        int exited = 0;
        int gone = 0;
        for (int index = 0; index < size; index++) {
            long word = jobs.word(job, index);
            prepared += InstanceWord.prepared(word) ? 1 : 0;
            started += InstanceWord.startedProcess(word) > 0 ? 1 : 0;
            exited += InstanceWord.exitCode(word) >= 0 ? 1 : 0;
            gone += InstanceWord.gone(word) ? 1 : 0;
        }
        require(
                prepared == jobs.prepared.get(job)
                        && started == jobs.started.get(job)
                        && exited == jobs.exited.get(job)
                        && gone == jobs.gone.get(job),
                "job " + ask.job() + " miscounts its instances");
    }

    private void checkUsage() {
        int[] cpu = new int[nodes.size()];
        int[] memory = new int[nodes.size()];
        int[] instances = new int[nodes.size()];
        int[][] devices = new int[nodes.size()][];
        for (int node = 0; node < nodes.size(); node++) {
            devices[node] = new int[nodes.deviceRoom(node)];
        }
        for (int job = jobs.first(); job != JobTable.NONE; job = jobs.after(job)) {
            List<Placement> placements = jobs.placements.get(job);
            for (Placement placement : placements) {
                int node = nodes.find(placement.node());
                Share share = Share.of(jobs.asks.get(job), placement);
                cpu[node] += share.cpuMillis();
                memory[node] += share.memoryMebibytes();
                instances[node]++;
                for (int device : share.devices()) {
                    devices[node][device] += share.thousandthsOfEach();
                }
            }
        }
        for (int node = 0; node < nodes.size(); node++) {
            boolean same =
                    cpu[node] == nodes.cpuUsed.get(node)
                            && memory[node] == nodes.memoryUsed.get(node)
                            && instances[node] == nodes.instances.get(node);
            require(same, "usage of node " + nodes.ids.get(node) + " is not that of its grants");
            checkDevices(node, devices[node]);
        }
    }

    private void checkDevices(int node, int[] used) {
        int inService = nodes.shapes.get(node).devices();
        int free = 0;
        int thousandths = 0;
        for (int device = 0; device < used.length; device++) {
            require(
                    used[device] == nodes.deviceUsed(node, device)
                            && used[device] <= DeviceTable.WHOLE,
                    "usage of device "
                            + device
                            + " of node "
                            + nodes.ids.get(node)
                            + " is not that of its grants, or above it");
            if (device < inService) {
                free += used[device] == 0 ? 1 : 0;
                thousandths += used[device];
            }
        }
        require(
                free == nodes.wholeFree.get(node) && thousandths == nodes.thousandthsUsed.get(node),
                "node " + nodes.ids.get(node) + " miscounts its devices");
    }

    private void checkShapes() {
        long devices = 0;
        long cpu = 0;
        long memory = 0;
        for (int node = 0; node < nodes.size(); node++) {
            NodeShape shape = nodes.shapes.get(node);
            if (nodes.open(node)) {
                devices += nodes.wholeFree.get(node);
                cpu += shape.cpuMillis() - nodes.cpuUsed.get(node);
                memory += shape.memoryMebibytes() - nodes.memoryUsed.get(node);
            }
        }
        long count = 0;
        for (int id = 0; id < nodes.byShape.size(); id++) {
            count += nodes.byShape.nodes.get(id);
            devices -= nodes.byShape.freeDevices.get(id);
            cpu -= nodes.byShape.freeCpu.get(id);
            memory -= nodes.byShape.freeMemory.get(id);
        }
        require(count == nodes.size(), "the shapes of nodes do not add up");
        require(
                devices == 0 && cpu == 0 && memory == 0,
                "what is free by shapes is not what is free on nodes");
    }

    private void checkDeadlines() {
        int running = 0;
        for (int job = jobs.first(); job != JobTable.NONE; job = jobs.after(job)) {
            boolean clock =
                    jobs.state(job) == JobState.RUNNING && jobs.asks.get(job).autoStopSeconds() > 0;
            running += clock ? 1 : 0;
            require(
                    clock == state.autoStops.contains(job),
                    "the clock of job " + jobs.asks.get(job).job() + " is not as its state says");
            require(
                    !clock || state.autoStopMillis(job) >= state.autoStops.firstMillis(),
                    "the deadline of job " + jobs.asks.get(job).job() + " is passed over");
        }
        require(running == state.autoStops.size(), "deadlines of jobs that do not run");
    }

    static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new InvariantBroken(otherwise);
        }
    }

    /** Compares wait classes with the jobs that wait. */
    private static final class WaitAudit {

        private final PoolState state;
        private final JobTable jobs;
        private final WaitClasses waiting;

        WaitAudit(PoolState state) {
            this.state = state;
            this.jobs = state.jobs;
            this.waiting = state.waiting;
        }

        void run() {
            int listed = 0;
            for (IntBag bag : List.of(waiting.active, waiting.parked)) {
                for (int i = 0; i < bag.size(); i++) {
                    listed += checkClass(bag.at(i));
                }
            }
            require(
                    listed == state.jobs.count(JobState.QUEUED),
                    listed
                            + " jobs wait in classes, "
                            + jobs.count(JobState.QUEUED)
                            + " are queued");
        }

        private int checkClass(int waitClass) {
            int count = 0;
            long age = 0;
            boolean told = true;
            for (int job = waiting.head(waitClass); job >= 0; job = waiting.next(job)) {
                Ask ask = jobs.asks.get(job);
                told &= job != waiting.unexplained(waitClass);
                WaitReason.Code code = jobs.reasons.get(job).code();
                boolean belongs =
                        jobs.state(job) == JobState.QUEUED
                                && waiting.classOf(job) == waitClass
                                && jobs.submittedSeq.get(job) > age
                                && ask.instances() == waiting.instances(waitClass)
                                && ask.priority() == waiting.priority(waitClass)
                                && Signature.of(ask).equals(waiting.signature(waitClass));
                require(belongs, "job " + ask.job() + " waits in the wrong class or place");
                require(
                        !told || code != WaitReason.Code.AWAITS_CYCLE,
                        "job " + ask.job() + " was not told why it waits");
                age = jobs.submittedSeq.get(job);
                count++;
            }
            boolean untold = waiting.unexplained(waitClass) != WaitClasses.NONE;
            require(
                    !untold || waiting.active.contains(waitClass),
                    "a class with untold jobs is parked");
            require(count == waiting.size(waitClass) && count > 0, "a wait class miscounts");
            return count;
        }
    }
}
