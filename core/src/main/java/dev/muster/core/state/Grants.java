package dev.muster.core.state;

import dev.muster.domain.Ask;
import dev.muster.domain.InvariantBroken;
import dev.muster.domain.Placement;

import java.util.List;

/** Books the grants of jobs on nodes, and counts them a second time to compare (S15). */
final class Grants {

    private final JobTable jobs;
    private final NodeTable nodes;
    private final LongCell cpu;
    private final LongCell memory;
    private final LongCell thousandths;

    Grants(UndoLog undo, JobTable jobs, NodeTable nodes) {
        this.jobs = jobs;
        this.nodes = nodes;
        this.cpu = new LongCell(undo);
        this.memory = new LongCell(undo);
        this.thousandths = new LongCell(undo);
    }

    /**
     * @param fresh whether it is a new grant, which has to lie within what is free now
     */
    void take(int job, List<Placement> placements, boolean fresh) {
        Ask ask = jobs.asks.get(job);
        requireWhole(ask, placements);
        int[] slots = new int[placements.size()];
        for (int i = 0; i < slots.length; i++) {
            Placement placement = placements.get(i);
            int node = nodes.find(placement.node());
            if (node == NodeTable.NONE) {
                throw new InvariantBroken(
                        "job " + ask.job() + " was granted the unknown node " + placement.node());
            }
            slots[i] = node;
            Share share = Share.of(ask, placement);
            nodes.take(node, share);
            if (fresh) {
                nodes.requireWithin(node, share);
            }
        }
        jobs.beginGrant(job, placements, slots);
        count(ask, 1);
    }

    void give(int job) {
        Ask ask = jobs.asks.get(job);
        List<Placement> placements = jobs.placements.get(job);
        int[] slots = jobs.nodes.get(job);
        for (int i = 0; i < slots.length; i++) {
            nodes.give(slots[i], Share.of(ask, placements.get(i)));
        }
        jobs.clearGrant(job);
        count(ask, -1);
    }

    private static void requireWhole(Ask ask, List<Placement> placements) {
        int devices = Signature.of(ask).devices();
        boolean whole = placements.size() == ask.instances();
        for (int i = 0; i < placements.size(); i++) {
            Placement placement = placements.get(i);
            whole &= placement.index() == i && placement.devices().size() == devices;
        }
        if (!whole) {
            throw new InvariantBroken("job " + ask.job() + " was not granted as a whole gang");
        }
    }

    private void count(Ask ask, int sign) {
        long instances = (long) sign * ask.instances();
        Signature signature = Signature.of(ask);
        int each = Math.min(signature.thousandths(), DeviceTable.WHOLE);
        cpu.add(instances * signature.cpuMillis());
        memory.add(instances * signature.memoryMebibytes());
        thousandths.add(instances * signature.devices() * each);
    }

    void checkTotals() {
        compare("CPU", cpu, nodes.cpuTotal);
        compare("memory", memory, nodes.memoryTotal);
        compare("accelerators", thousandths, nodes.thousandthsTotal);
    }

    private static void compare(String what, LongCell granted, LongCell used) {
        if (granted.get() != used.get()) {
            throw new InvariantBroken(
                    "live grants hold "
                            + granted.get()
                            + " of "
                            + what
                            + ", nodes count "
                            + used.get());
        }
    }
}
