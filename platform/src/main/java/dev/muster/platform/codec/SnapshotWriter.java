package dev.muster.platform.codec;

import com.github.luben.zstd.Zstd;

import dev.muster.domain.Ask;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.NodeShape;
import dev.muster.domain.NodeSnapshot;
import dev.muster.domain.Placement;
import dev.muster.domain.PoolSnapshot;
import dev.muster.domain.RecoveryState;
import dev.muster.domain.Resources;
import dev.muster.domain.WaitReason;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Writes a pool's snapshot piece by piece, as {@link SnapshotFormat} says: a state of any size is
 * never held in another form than its own. The same bytes for the same state.
 */
public final class SnapshotWriter {

    /** A fast level: what is left is mostly job ids, which no level makes smaller. */
    private static final int LEVEL = 1;

    private static final JobId NO_JOB = new JobId(0, 0);

    static final int GRANTED = 1;
    static final int ENDING = 2;
    static final int RECOVERING = 4;
    static final int CLOCKED = 8;

    static final int PREPARED = 1;
    static final int GONE = 2;
    static final int EVIDENCE = 4;

    /** Takes the pieces in order; together they are the snapshot. */
    @FunctionalInterface
    public interface Pieces {
        void take(byte[] piece) throws InterruptedException;
    }

    private final Pieces pieces;
    private final PackedOutput out = new PackedOutput();
    private final Shared<String> texts = new Shared<>(this::literal);
    private final Shared<String> names = new Shared<>(this::literal);
    private final Shared<String> hashes = new Shared<>(this::literal);
    private final Shared<Ask> asks = new Shared<>(this::literal);
    private final Shared<WaitReason> reasons = new Shared<>(this::literal);
    private int inFrame;
    private long jobs;
    private long lastSubmitted;

    public SnapshotWriter(Pieces pieces) {
        this.pieces = pieces;
    }

    /** Values by number; a new one is written where it is met first. */
    private final class Shared<T> {
        private final Map<T, Integer> numbers = new HashMap<>();
        private final Consumer<T> literal;

        Shared(Consumer<T> literal) {
            this.literal = literal;
        }

        void write(T value) {
            Integer number = numbers.get(value);
            if (number != null) {
                out.number(number);
                return;
            }
            out.number(0);
            literal.accept(value);
            if (numbers.size() < SnapshotFormat.MOST_SHARED) {
                numbers.put(value, numbers.size() + 1);
            }
        }
    }

    /**
     * To be called first.
     *
     * @param around all but the jobs
     * @param expected jobs that will be added
     */
    public void begin(PoolSnapshot around, int expected) throws InterruptedException {
        ByteBuffer head = ByteBuffer.allocate(SnapshotFormat.MAGIC.length + 4);
        pieces.take(head.put(SnapshotFormat.MAGIC).putInt(SnapshotFormat.VERSION).array());
        texts.write(around.pool().value());
        out.number(around.seq());
        out.number(around.nowMillis());
        out.number(around.epoch());
        out.number(around.shardEpoch());
        out.number(expected);
        out.number(around.nodes().size());
        around.nodes().forEach(this::node);
        frame(SnapshotFormat.AROUND, around.nodes().size());
    }

    /** Adds the next job in order of submission. */
    public void add(JobSnapshot job) throws InterruptedException {
        job(job);
        jobs++;
        if (++inFrame == SnapshotFormat.JOBS_PER_FRAME) {
            frame(SnapshotFormat.JOBS, inFrame);
            inFrame = 0;
        }
    }

    /** To be called last. */
    public void end() throws InterruptedException {
        if (inFrame > 0) {
            frame(SnapshotFormat.JOBS, inFrame);
        }
        out.number(jobs);
        frame(SnapshotFormat.END, 0);
    }

    private void frame(byte kind, int things) throws InterruptedException {
        int room = (int) Zstd.compressBound(out.size());
        byte[] packed = new byte[room];
        int size = (int) Zstd.compressByteArray(packed, 0, room, out.bytes(), 0, out.size(), LEVEL);
        ByteBuffer frame = ByteBuffer.allocate(SnapshotFormat.FRAME_HEAD + size);
        frame.put(kind).putInt(things).putInt(size).putInt(out.size());
        CRC32C checksum = new CRC32C();
        checksum.update(frame.array(), 0, frame.position());
        checksum.update(packed, 0, size);
        frame.putInt((int) checksum.getValue()).put(packed, 0, size);
        out.clear();
        pieces.take(frame.array());
    }

    private void node(NodeSnapshot node) {
        out.text(node.node().value());
        NodeShape shape = node.shape();
        out.number(shape.cpuMillis());
        out.number(shape.memoryMebibytes());
        texts.write(shape.accelerator());
        out.number(shape.devices());
        texts.write(shape.supernode());
        out.one((node.ready() ? 1 : 0) | (node.cordoned() ? 2 : 0));
    }

    private void job(JobSnapshot job) {
        boolean granted = !job.placements().isEmpty();
        boolean ending = ending(job);
        boolean recovering = !job.recovery().equals(RecoveryState.NONE);
        boolean clocked = job.runningSinceMillis() != 0 || job.ranMillis() != 0;
        out.one(
                (granted ? GRANTED : 0)
                        | (ending ? ENDING : 0)
                        | (recovering ? RECOVERING : 0)
                        | (clocked ? CLOCKED : 0));
        JobId id = job.ask().job();
        asks.write(job.ask().forJob(NO_JOB));
        out.fixed(id.hi());
        out.fixed(id.lo());
        names.write(job.name());
        hashes.write(job.specHash());
        out.number(job.submittedSeq() - lastSubmitted);
        lastSubmitted = job.submittedSeq();
        name(job.state());
        reasons.write(job.reason());
        out.number(job.attempt());
        out.number(job.processStart());
        if (granted) {
            grant(job);
        }
        if (ending) {
            name(job.endCause());
            texts.write(job.endMessage());
            texts.write(job.endCommandId());
            texts.write(job.endRequestedBy());
        }
        if (clocked) {
            out.number(job.runningSinceMillis());
            out.number(job.ranMillis());
        }
        if (recovering) {
            recovery(job.recovery());
        }
    }

    private static boolean ending(JobSnapshot job) {
        return job.endCause() != null
                || !job.endMessage().isEmpty()
                || !job.endCommandId().isEmpty()
                || !job.endRequestedBy().isEmpty();
    }

    private void grant(JobSnapshot job) {
        out.number(job.placements().size());
        for (Placement each : job.placements()) {
            out.number(each.index());
            texts.write(each.node().value());
            out.number(each.devices().size());
            each.devices().forEach(out::number);
        }
        out.number(job.instances().size());
        for (JobSnapshot.InstanceSnapshot each : job.instances()) {
            out.number(each.incarnation());
            out.one(
                    (each.prepared() ? PREPARED : 0)
                            | (each.gone() ? GONE : 0)
                            | (each.evidence() ? EVIDENCE : 0));
            out.number(each.startedProcess());
            out.number(each.exitCode() + 1L);
        }
    }

    private void recovery(RecoveryState recovery) {
        out.number(recovery.incidents());
        RecoveryState.OpenIncident open = recovery.open();
        out.one(open == null ? 0 : 1);
        if (open != null) {
            name(open.scenario());
            name(open.tier());
            texts.write(open.message());
            out.number(open.verdictByMillis());
        }
        out.number(recovery.spent().restarts());
        out.number(recovery.spent().unconditionalInRow());
        out.number(recovery.spent().hangInRow());
        name(recovery.reached());
        out.number(recovery.recorded().size());
        recovery.recorded().forEach(this::name);
    }

    /** A constant by its name, which stays; nothing is the empty one. */
    private void name(@Nullable Enum<?> constant) {
        texts.write(constant == null ? "" : constant.name());
    }

    private void literal(String text) {
        out.text(text);
    }

    private void literal(WaitReason reason) {
        name(reason.code());
        texts.write(reason.constraint());
        texts.write(reason.scope());
        out.number(reason.needed());
        out.number(reason.available());
    }

    private void literal(Ask ask) {
        texts.write(ask.project().value());
        texts.write(ask.queue().value());
        out.number(ask.priority());
        out.number(ask.instances());
        texts.write(ask.accelerator());
        Resources each = ask.perInstance();
        out.number(each.cpuMillis());
        out.number(each.memoryMebibytes());
        out.number(each.acceleratorThousandths());
        out.number(ask.autoStopSeconds());
        out.number(ask.restart().maxRestarts());
        out.one(
                (ask.restart().autoRestart() ? 1 : 0)
                        | (ask.restart().unconditional() ? 2 : 0)
                        | (ask.restart().onHang() ? 4 : 0)
                        | (ask.preemptible() ? 8 : 0));
        out.number(ask.watch().hangSilenceSeconds());
        out.number(ask.watch().startupSeconds());
    }
}
