package dev.muster.domain;

/** The canonical form of events: the type's name, then its members in order. */
public final class CanonicalEvents {

    private CanonicalEvents() {}

    public static void write(Canonical out, Event event) {
        out.text(event.type());
        switch (event) {
            case Event.OfJob e -> writeOfJob(out, e);
            case Event.OfNode e -> writeOfNode(out, e);
            case Event.CommandRefused e -> out.text(e.commandId()).text(e.reason());
            case Event.LeaderTookOver e ->
                    out.int64(e.epoch()).text(e.leader()).int32(e.codeVersion());
            case Event.ShardOwned e -> out.int64(e.shardEpoch()).text(e.executor());
            case Event.OutageObserved e -> out.int64(e.fromMillis()).int64(e.toMillis());
            case Event.InputsAbsorbed e -> out.int32(e.count());
        }
    }

    private static void writeOfJob(Canonical out, Event.OfJob event) {
        out.int64(event.job().hi()).int64(event.job().lo()).text(event.project().value());
        switch (event) {
            case Event.JobSubmitted e -> {
                write(out, e.ask());
                out.text(e.name()).text(e.specHash()).int64(e.acceptedAtMillis());
            }
            case Event.JobQueued e -> write(out, e.reason());
            case Event.JobWaiting e -> write(out, e.reason());
            case Event.GangGranted e ->
                    out.int32(e.attempt()).list(e.placements(), CanonicalEvents::write);
            case Event.InstancePrepared e -> instance(out, e.attempt(), e.index(), e.incarnation());
            case Event.JobStarting e -> out.int32(e.attempt()).int32(e.processStart());
            case Event.InstanceStarted e ->
                    instance(out, e.attempt(), e.index(), e.incarnation()).int32(e.processStart());
            case Event.JobStarted e -> out.int32(e.attempt());
            case Event.InstanceExited e ->
                    instance(out, e.attempt(), e.index(), e.incarnation())
                            .int32(e.processStart())
                            .int32(e.exitCode());
            case Event.NoticeRecorded e ->
                    out.int32(e.attempt()).int32(e.index()).name(e.level()).text(e.message());
            case Event.JobFinishing e ->
                    out.int32(e.attempt())
                            .text(e.cause() == null ? "" : e.cause().name())
                            .text(e.message());
            case Event.JobStopping e ->
                    stop(out, e.attempt(), e.commandId(), e.requestedBy(), e.reason());
            case Event.InstanceGone e -> instance(out, e.attempt(), e.index(), e.incarnation());
            case Event.GangReleased e -> out.int32(e.attempt());
            case Event.JobSucceeded e -> out.int32(e.attempt());
            case Event.JobFailed e -> out.int32(e.attempt()).name(e.cause()).text(e.message());
            case Event.JobStopped e ->
                    stop(out, e.attempt(), e.commandId(), e.requestedBy(), e.reason());
            case Event.OfRecovery e -> writeOfRecovery(out, e);
        }
    }

    private static void writeOfRecovery(Canonical out, Event.OfRecovery event) {
        switch (event) {
            case Event.JobHanged e ->
                    out.int32(e.attempt())
                            .text(e.commandId())
                            .int32(e.incident())
                            .text(e.message());
            case Event.IncidentOpened e ->
                    incident(out, e.attempt(), e.incident())
                            .name(e.scenario())
                            .list(e.instances(), Canonical::int32)
                            .list(e.nodes(), (to, node) -> to.text(node.value()))
                            .text(e.message());
            case Event.VerdictAwaited e ->
                    incident(out, e.attempt(), e.incident())
                            .int64(e.untilMillis())
                            .text(e.message());
            case Event.JobRestarting e -> {
                incident(out, e.attempt(), e.incident())
                        .name(e.tier())
                        .name(e.scenario())
                        .int32(e.incarnation())
                        .int32(e.processStart());
                write(out, e.spent());
            }
            case Event.JobRestarted e -> incident(out, e.attempt(), e.incident()).name(e.tier());
            case Event.IncidentClosed e ->
                    incident(out, e.attempt(), e.incident()).name(e.result()).text(e.message());
            case Event.RecoveryReset e -> out.int32(e.attempt());
            case Event.JobPreempted e ->
                    stop(out, e.attempt(), e.commandId(), e.requestedBy(), e.reason());
            case Event.EvidenceKept e ->
                    out.int32(e.attempt())
                            .int32(e.index())
                            .int32(e.incident())
                            .text(e.location())
                            .int32(e.processStart());
        }
    }

    private static Canonical incident(Canonical out, int attempt, int incident) {
        return out.int32(attempt).int32(incident);
    }

    private static Canonical instance(Canonical out, int attempt, int index, int incarnation) {
        return out.int32(attempt).int32(index).int32(incarnation);
    }

    private static void stop(
            Canonical out, int attempt, String commandId, String requestedBy, String reason) {
        out.int32(attempt).text(commandId).text(requestedBy).text(reason);
    }

    private static void writeOfNode(Canonical out, Event.OfNode event) {
        out.text(event.node().value());
        switch (event) {
            case Event.NodeDeclared e -> {
                write(out, e.shape());
                out.bool(e.ready());
            }
            case Event.NodeReadinessChanged e -> out.bool(e.ready());
            case Event.NodeCordoned e -> out.text(e.commandId()).text(e.requestedBy());
            case Event.NodeUncordoned e -> out.text(e.commandId()).text(e.requestedBy());
        }
    }

    static void write(Canonical out, Ask ask) {
        out.int64(ask.job().hi())
                .int64(ask.job().lo())
                .text(ask.project().value())
                .text(ask.queue().value())
                .int32(ask.priority())
                .int32(ask.instances())
                .text(ask.accelerator())
                .int32(ask.perInstance().cpuMillis())
                .int32(ask.perInstance().memoryMebibytes())
                .int32(ask.perInstance().acceleratorThousandths())
                .int64(ask.autoStopSeconds());
        writeRecovery(out, ask);
    }

    /** Left out where nothing is asked for: such a job's form is that of the first version. */
    private static void writeRecovery(Canonical out, Ask ask) {
        RestartPolicy restart = ask.restart();
        if (!restart.equals(RestartPolicy.OFF)
                || ask.preemptible()
                || !ask.watch().equals(Watch.DEFAULT)) {
            out.text("recovery")
                    .bool(restart.autoRestart())
                    .int32(restart.maxRestarts())
                    .bool(restart.unconditional())
                    .bool(restart.onHang())
                    .bool(ask.preemptible())
                    .int32(ask.watch().hangSilenceSeconds())
                    .int32(ask.watch().startupSeconds());
        }
    }

    static void write(Canonical out, Spent spent) {
        out.int32(spent.restarts()).int32(spent.unconditionalInRow()).int32(spent.hangInRow());
    }

    static void write(Canonical out, WaitReason reason) {
        out.name(reason.code())
                .text(reason.constraint())
                .text(reason.scope())
                .int64(reason.needed())
                .int64(reason.available());
    }

    static void write(Canonical out, Placement placement) {
        out.int32(placement.index())
                .text(placement.node().value())
                .list(placement.devices(), Canonical::int32);
    }

    static void write(Canonical out, NodeShape shape) {
        out.int32(shape.cpuMillis())
                .int32(shape.memoryMebibytes())
                .text(shape.accelerator())
                .int32(shape.devices())
                .text(shape.supernode());
    }
}
