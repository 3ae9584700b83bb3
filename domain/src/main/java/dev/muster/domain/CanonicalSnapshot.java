package dev.muster.domain;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The canonical form of a pool's snapshot, and the hash over it. */
public final class CanonicalSnapshot {

    /** Bytes of the form that are held at a time. */
    private static final int PIECE = 1 << 16;

    private final PoolSnapshot around;
    private final MessageDigest digest;
    private final Canonical out = new Canonical();

    private CanonicalSnapshot(PoolSnapshot around, int jobs) {
        this.around = around;
        try {
            this.digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
        out.text(around.pool().value())
                .int64(around.seq())
                .int64(around.nowMillis())
                .int64(around.epoch())
                .int64(around.shardEpoch())
                .int32(jobs);
    }

    /** SHA-256 over the canonical form. */
    public static byte[] hash(PoolSnapshot snapshot) {
        CanonicalSnapshot hash = of(snapshot, snapshot.jobs().size());
        snapshot.jobs().forEach(hash::add);
        return hash.end();
    }

    /**
     * Begins the hash of a state that is given job by job, so that its size does not matter.
     *
     * @param around all of it but the jobs
     * @param jobs that will be added
     */
    public static CanonicalSnapshot of(PoolSnapshot around, int jobs) {
        return new CanonicalSnapshot(around, jobs);
    }

    /** Adds the next job in order of submission. */
    public void add(JobSnapshot job) {
        write(out, job);
        if (out.size() > PIECE) {
            out.drainTo(digest);
        }
    }

    /** The SHA-256, once all jobs were added. */
    public byte[] end() {
        out.list(around.nodes(), CanonicalSnapshot::write);
        out.drainTo(digest);
        return digest.digest();
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
