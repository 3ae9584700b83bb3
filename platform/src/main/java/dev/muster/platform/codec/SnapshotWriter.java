package dev.muster.platform.codec;

import com.github.luben.zstd.Zstd;

import dev.muster.domain.Ask;
import dev.muster.domain.JobBlock;
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
import java.util.function.BiConsumer;
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
    private final PackedOutput frame = new PackedOutput();

    /** What is not in columns. */
    private final PackedOutput out = new PackedOutput();

    private final Shared<String> texts = new Shared<>(PackedOutput::text);
    private final Shared<String> names = new Shared<>(PackedOutput::text);
    private final Shared<String> hashes = new Shared<>(PackedOutput::text);
    private final Shared<Ask> asks = new Shared<>(this::literal);
    private final Shared<WaitReason> reasons = new Shared<>(this::literal);
    private final WaitingColumns waiting = new WaitingColumns();
    private final byte[] waits = new byte[SnapshotFormat.JOBS_PER_FRAME];
    private int inFrame;
    private long jobs;

    /** Columns of a frame's jobs that merely wait. */
    private static final class WaitingColumns {
        private static final int ROOM = SnapshotFormat.JOBS_PER_FRAME;
        private final int[] asks = new int[ROOM];
        private final long[] idsHigh = new long[ROOM];
        private final long[] idsLow = new long[ROOM];
        private final int[] names = new int[ROOM];
        private final int[] hashes = new int[ROOM];
        private final long[] submitted = new long[ROOM];
        private final int[] reasons = new int[ROOM];
        private final int[] attempts = new int[ROOM];
        private int size;

        void drainTo(PackedOutput out) {
            out.ints(asks, size);
            out.longs(idsHigh, size);
            out.longs(idsLow, size);
            out.ints(names, size);
            out.ints(hashes, size);
            out.longs(submitted, size);
            out.ints(reasons, size);
            out.ints(attempts, size);
            size = 0;
        }
    }

    public SnapshotWriter(Pieces pieces) {
        this.pieces = pieces;
    }

    /** Values by number; a new one is defined in front of the frame that has it first. */
    private static final class Shared<T> {
        private final Map<T, Integer> numbers = new HashMap<>();
        private final Map<T, Integer> ofFrame = new HashMap<>();
        private final PackedOutput definitions = new PackedOutput();
        private final BiConsumer<PackedOutput, T> literal;
        private int defined;

        Shared(BiConsumer<PackedOutput, T> literal) {
            this.literal = literal;
        }

        int number(T value) {
            Integer known = numbers.get(value);
            if (known == null) {
                known = ofFrame.get(value);
            }
            return known == null ? define(value) : known;
        }

        private int define(T value) {
            boolean stays = numbers.size() < SnapshotFormat.MOST_SHARED;
            Map<T, Integer> where = stays ? numbers : ofFrame;
            int number = numbers.size() + ofFrame.size();
            // first, since what it refers to may be defined by it
            literal.accept(definitions, value);
            where.put(value, number);
            defined++;
            return number;
        }

        void drainTo(PackedOutput out) {
            out.number(defined);
            out.drain(definitions);
            defined = 0;
            ofFrame.clear();
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
        text(around.pool().value());
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
        boolean merelyWaits = JobBlock.merelyWaits(job);
        waits[inFrame] = (byte) (merelyWaits ? 1 : 0);
        if (merelyWaits) {
            waits(job);
        } else {
            job(job);
        }
        jobs++;
        if (++inFrame == SnapshotFormat.JOBS_PER_FRAME) {
            frame(SnapshotFormat.JOBS, inFrame);
        }
    }

    private void waits(JobSnapshot job) {
        int row = waiting.size++;
        waiting.asks[row] = asks.number(job.ask().forJob(NO_JOB));
        waiting.idsHigh[row] = job.ask().job().hi();
        waiting.idsLow[row] = job.ask().job().lo();
        waiting.names[row] = names.number(job.name());
        waiting.hashes[row] = hashes.number(job.specHash());
        waiting.submitted[row] = job.submittedSeq();
        waiting.reasons[row] = reasons.number(job.reason());
        waiting.attempts[row] = job.attempt();
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
        texts.drainTo(frame);
        names.drainTo(frame);
        hashes.drainTo(frame);
        asks.drainTo(frame);
        reasons.drainTo(frame);
        if (kind == SnapshotFormat.JOBS) {
            for (int i = 0; i < things; i++) {
                frame.one(waits[i]);
            }
            waiting.drainTo(frame);
            inFrame = 0;
        }
        frame.drain(out);
        pieces.take(packed(kind, things));
        frame.clear();
    }

    private byte[] packed(byte kind, int things) {
        int room = (int) Zstd.compressBound(frame.size());
        byte[] packed = new byte[room];
        int size =
                (int)
                        Zstd.compressByteArray(
                                packed, 0, room, frame.bytes(), 0, frame.size(), LEVEL);
        ByteBuffer whole = ByteBuffer.allocate(SnapshotFormat.FRAME_HEAD + size);
        whole.put(kind).putInt(things).putInt(size).putInt(frame.size());
        CRC32C checksum = new CRC32C();
        checksum.update(whole.array(), 0, whole.position());
        checksum.update(packed, 0, size);
        whole.putInt((int) checksum.getValue()).put(packed, 0, size);
        return whole.array();
    }

    private void node(NodeSnapshot node) {
        out.text(node.node().value());
        NodeShape shape = node.shape();
        out.number(shape.cpuMillis());
        out.number(shape.memoryMebibytes());
        text(shape.accelerator());
        out.number(shape.devices());
        text(shape.supernode());
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
        out.number(asks.number(job.ask().forJob(NO_JOB)));
        out.fixed(id.hi());
        out.fixed(id.lo());
        out.number(names.number(job.name()));
        out.number(hashes.number(job.specHash()));
        out.number(job.submittedSeq());
        name(job.state());
        out.number(reasons.number(job.reason()));
        out.number(job.attempt());
        out.number(job.processStart());
        if (granted) {
            grant(job);
        }
        if (ending) {
            name(job.endCause());
            text(job.endMessage());
            text(job.endCommandId());
            text(job.endRequestedBy());
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
            text(each.node().value());
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
            text(open.message());
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
        text(constant == null ? "" : constant.name());
    }

    private void text(String text) {
        out.number(texts.number(text));
    }

    private void literal(PackedOutput to, WaitReason reason) {
        to.number(texts.number(reason.code().name()));
        to.number(texts.number(reason.constraint()));
        to.number(texts.number(reason.scope()));
        to.number(reason.needed());
        to.number(reason.available());
    }

    private void literal(PackedOutput to, Ask ask) {
        to.number(texts.number(ask.project().value()));
        to.number(texts.number(ask.queue().value()));
        to.number(ask.priority());
        to.number(ask.instances());
        to.number(texts.number(ask.accelerator()));
        Resources each = ask.perInstance();
        to.number(each.cpuMillis());
        to.number(each.memoryMebibytes());
        to.number(each.acceleratorThousandths());
        to.number(ask.autoStopSeconds());
        to.number(ask.restart().maxRestarts());
        to.one(
                (ask.restart().autoRestart() ? 1 : 0)
                        | (ask.restart().unconditional() ? 2 : 0)
                        | (ask.restart().onHang() ? 4 : 0)
                        | (ask.preemptible() ? 8 : 0));
        to.number(ask.watch().hangSilenceSeconds());
        to.number(ask.watch().startupSeconds());
    }
}
