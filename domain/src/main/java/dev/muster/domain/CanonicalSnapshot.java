package dev.muster.domain;

/** The canonical form of a pool's snapshot. */
public final class CanonicalSnapshot {

    private CanonicalSnapshot() {}

    /** SHA-256 over the canonical form. */
    public static byte[] hash(PoolSnapshot snapshot) {
        Canonical out = new Canonical();
        write(out, snapshot);
        return out.sha256();
    }

    public static void write(Canonical out, PoolSnapshot snapshot) {
        out.text(snapshot.pool().value())
                .int64(snapshot.seq())
                .int64(snapshot.nowMillis())
                .int64(snapshot.epoch())
                .int64(snapshot.shardEpoch())
                .list(snapshot.jobs(), CanonicalSnapshot::write)
                .list(snapshot.nodes(), CanonicalSnapshot::write);
    }

    private static void write(Canonical out, JobSnapshot job) {
        CanonicalEvents.write(out, job.ask());
        out.text(job.name()).text(job.specHash()).int64(job.submittedSeq()).name(job.state());
        CanonicalEvents.write(out, job.reason());
        out.int32(job.attempt())
                .list(job.placements(), CanonicalEvents::write)
                .list(job.instances(), CanonicalSnapshot::write)
                .int32(job.processStart())
                .text(job.endCause() == null ? "" : job.endCause().name())
                .text(job.endMessage())
                .text(job.endCommandId())
                .text(job.endRequestedBy())
                .int64(job.runningSinceMillis())
                .int64(job.ranMillis());
        if (!job.recovery().equals(RecoveryState.NONE)) {
            write(out, job.recovery());
        }
    }

    private static void write(Canonical out, RecoveryState recovery) {
        out.text("recovery").int32(recovery.incidents());
        RecoveryState.OpenIncident open = recovery.open();
        out.bool(open != null);
        if (open != null) {
            out.name(open.scenario())
                    .text(open.tier() == null ? "" : open.tier().name())
                    .text(open.message())
                    .int64(open.verdictByMillis());
        }
        CanonicalEvents.write(out, recovery.spent());
        out.text(recovery.reached() == null ? "" : recovery.reached().name())
                .list(recovery.recorded(), Canonical::name);
    }

    private static void write(Canonical out, JobSnapshot.InstanceSnapshot instance) {
        out.int32(instance.incarnation())
                .bool(instance.prepared())
                .int32(instance.startedProcess())
                .int32(instance.exitCode())
                .byteOf((instance.gone() ? 1 : 0) | (instance.evidence() ? 2 : 0));
    }

    private static void write(Canonical out, NodeSnapshot node) {
        out.text(node.node().value());
        CanonicalEvents.write(out, node.shape());
        out.bool(node.ready()).bool(node.cordoned());
    }
}
