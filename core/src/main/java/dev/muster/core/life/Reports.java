package dev.muster.core.life;

import dev.muster.core.state.Emission;
import dev.muster.core.state.NodeTable;
import dev.muster.core.state.PoolState;
import dev.muster.domain.Event;
import dev.muster.domain.Report;

/** Takes reports of the executor. Old and repeated ones change nothing. */
public final class Reports {

    private final PoolState state;
    private final Tally tally;
    private final InstanceReports instances;

    public Reports(PoolState state, Tally tally) {
        this.state = state;
        this.tally = tally;
        this.instances = new InstanceReports(state, tally);
    }

    public void decide(Report report, Emission out) {
        if (report.shardEpoch() < state.shardEpoch.get()) {
            tally.stale();
            return;
        }
        switch (report) {
            case Report.ShardTaken r -> shardTaken(r, out);
            case Report.NodeObserved r -> node(r, out);
            case Report.InstancePrepared r -> instances.prepared(r, out);
            case Report.InstanceStarted r -> instances.started(r, out);
            case Report.InstanceExited r -> instances.exited(r, out);
            case Report.InstanceFailed r -> instances.failed(r, out);
            case Report.InstanceGone r -> instances.gone(r, out);
            case Report.NoticeRaised r -> instances.notice(r, out);
            case Report.EvidenceKept ignored -> tally.stale();
        }
    }

    private void shardTaken(Report.ShardTaken r, Emission out) {
        if (r.shardEpoch() == state.shardEpoch.get()) {
            tally.repeated();
        } else {
            out.emit(new Event.ShardOwned(r.shardEpoch(), r.executor()));
        }
    }

    private void node(Report.NodeObserved r, Emission out) {
        NodeTable nodes = state.nodes;
        int node = nodes.find(r.node());
        if (node == NodeTable.NONE || !nodes.shapes.get(node).equals(r.shape())) {
            out.emit(new Event.NodeDeclared(r.node(), r.shape(), r.ready()));
        } else if ((nodes.ready.get(node) != 0) != r.ready()) {
            out.emit(new Event.NodeReadinessChanged(r.node(), r.ready()));
        } else {
            tally.repeated();
        }
    }
}
