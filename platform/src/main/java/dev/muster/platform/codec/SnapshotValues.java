package dev.muster.platform.codec;

import dev.muster.domain.Ask;
import dev.muster.domain.FailureCause;
import dev.muster.domain.JobBlock;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.JobState;
import dev.muster.domain.NodeId;
import dev.muster.domain.NodeShape;
import dev.muster.domain.NodeSnapshot;
import dev.muster.domain.Placement;
import dev.muster.domain.PoolId;
import dev.muster.domain.PoolSnapshot;
import dev.muster.domain.ProjectId;
import dev.muster.domain.QueueId;
import dev.muster.domain.RecoveryState;
import dev.muster.domain.Resources;
import dev.muster.domain.RestartPolicy;
import dev.muster.domain.Scenario;
import dev.muster.domain.Spent;
import dev.muster.domain.Tier;
import dev.muster.domain.WaitReason;
import dev.muster.domain.Watch;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * The values of a snapshot, as {@link SnapshotWriter} writes them. Equal values that have a number
 * are the same object, so what is loaded is small.
 */
final class SnapshotValues {

    private static final JobId NO_JOB = new JobId(0, 0);

    private final Shared<String> texts = new Shared<>(PackedInput::text);
    private final Shared<String> names = new Shared<>(PackedInput::text);
    private final Shared<String> hashes = new Shared<>(PackedInput::text);
    private final Shared<Ask> asks = new Shared<>(this::ask);
    private final Shared<WaitReason> reasons = new Shared<>(this::reason);

    /** Nodes by the texts that name them. */
    private final List<@Nullable NodeId> nodes = new ArrayList<>();

    /** Version 3: values are where they are named first. */
    private final boolean inline;

    private int expectedJobs;
    private long lastSubmitted;

    /**
     * @param inline as version 3 has it: a value where it is named first, each job by itself
     */
    SnapshotValues(boolean inline) {
        this.inline = inline;
    }

    /** To be asked once all but the jobs was read. */
    int expectedJobs() {
        return expectedJobs;
    }

    /**
     * Values by number: those that stay, then those of the frame alone. A table that was given out
     * is read by another thread while this one goes on: what it names is never written again.
     */
    private final class Shared<T> {
        private final Function<PackedInput, T> literal;
        private @Nullable Object[] known = new Object[16];
        private int size;

        Shared(Function<PackedInput, T> literal) {
            this.literal = literal;
        }

        void define(PackedInput in) {
            if (size > SnapshotFormat.MOST_SHARED) {
                known = Arrays.copyOf(known, SnapshotFormat.MOST_SHARED);
                size = SnapshotFormat.MOST_SHARED;
            }
            int count = in.count();
            if (size + count > known.length) {
                known = Arrays.copyOf(known, Math.max(size + count, 2 * size));
            }
            for (int i = 0; i < count; i++) {
                known[size + i] = literal.apply(in);
            }
            size += count;
        }

        T read(PackedInput in) {
            int number = inline ? in.small() - 1 : in.small();
            if (inline && number < 0) {
                return readInline(in);
            }
            Objects.checkIndex(number, size);
            return table().get(number);
        }

        private T readInline(PackedInput in) {
            T value = literal.apply(in);
            if (size < SnapshotFormat.MOST_SHARED) {
                add(value);
            }
            return value;
        }

        private void add(T value) {
            if (size == known.length) {
                known = Arrays.copyOf(known, 2 * size);
            }
            known[size++] = value;
        }

        int[] readMany(PackedInput in, int count) {
            int[] numbers = in.ints(count);
            for (int each : numbers) {
                Objects.checkIndex(each, size);
            }
            return numbers;
        }

        @SuppressWarnings("unchecked")
        List<T> table() {
            return (List<T>) Arrays.asList(known);
        }
    }

    /** What a frame begins with: values that were not there before it. */
    void define(PackedInput in) {
        if (inline) {
            return;
        }
        texts.define(in);
        names.define(in);
        hashes.define(in);
        asks.define(in);
        reasons.define(in);
    }

    JobBlock jobs(PackedInput in, int count) {
        if (inline) {
            return JobBlock.of(others(in, count));
        }
        boolean[] waits = new boolean[count];
        int rows = 0;
        for (int i = 0; i < count; i++) {
            waits[i] = in.one() != 0;
            rows += waits[i] ? 1 : 0;
        }
        JobBlock.Columns columns =
                new JobBlock.Columns(
                        asks.readMany(in, rows),
                        in.longs(rows),
                        in.longs(rows),
                        names.readMany(in, rows),
                        hashes.readMany(in, rows),
                        in.longs(rows),
                        reasons.readMany(in, rows),
                        in.ints(rows));
        List<JobSnapshot> others = others(in, count - rows);
        JobBlock.Tables tables =
                new JobBlock.Tables(asks.table(), names.table(), hashes.table(), reasons.table());
        return new JobBlock(waits, tables, columns, others);
    }

    private List<JobSnapshot> others(PackedInput in, int count) {
        List<JobSnapshot> found = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            found.add(job(in));
        }
        return found;
    }

    PoolSnapshot around(PackedInput in) {
        PoolId pool = new PoolId(texts.read(in));
        long seq = in.number();
        long now = in.number();
        long epoch = in.number();
        long shardEpoch = in.number();
        expectedJobs = in.small();
        int count = in.count();
        List<NodeSnapshot> found = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            found.add(node(in));
        }
        return new PoolSnapshot(pool, seq, now, epoch, shardEpoch, List.of(), found);
    }

    private NodeSnapshot node(PackedInput in) {
        NodeId id = new NodeId(in.text());
        NodeShape shape =
                new NodeShape(in.small(), in.small(), texts.read(in), in.small(), texts.read(in));
        int flags = in.one();
        return new NodeSnapshot(id, shape, (flags & 1) != 0, (flags & 2) != 0);
    }

    private JobSnapshot job(PackedInput in) {
        int flags = in.one();
        Ask ask = asks.read(in).forJob(new JobId(in.fixed(), in.fixed()));
        String name = names.read(in);
        String hash = hashes.read(in);
        long submittedSeq = inline ? lastSubmitted + in.number() : in.number();
        lastSubmitted = submittedSeq;
        JobState state = JobState.valueOf(texts.read(in));
        WaitReason reason = reasons.read(in);
        int attempt = in.small();
        int processStart = in.small();
        boolean granted = (flags & SnapshotWriter.GRANTED) != 0;
        List<Placement> placements = granted ? placements(in) : List.of();
        List<JobSnapshot.InstanceSnapshot> instances = granted ? instances(in) : List.of();
        boolean ending = (flags & SnapshotWriter.ENDING) != 0;
        FailureCause cause = ending ? constant(FailureCause.class, in) : null;
        String message = ending ? texts.read(in) : "";
        String commandId = ending ? texts.read(in) : "";
        String requestedBy = ending ? texts.read(in) : "";
        boolean clocked = (flags & SnapshotWriter.CLOCKED) != 0;
        long since = clocked ? in.number() : 0;
        long ran = clocked ? in.number() : 0;
        boolean recovering = (flags & SnapshotWriter.RECOVERING) != 0;
        return new JobSnapshot(
                ask,
                name,
                hash,
                submittedSeq,
                state,
                reason,
                attempt,
                placements,
                instances,
                processStart,
                cause,
                message,
                commandId,
                requestedBy,
                since,
                ran,
                recovering ? recovery(in) : RecoveryState.NONE);
    }

    private List<Placement> placements(PackedInput in) {
        int count = in.count();
        List<Placement> found = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            found.add(new Placement(in.small(), nodeId(in), devices(in)));
        }
        return found;
    }

    /** The same object for the same node: there are far more placements than nodes. */
    private NodeId nodeId(PackedInput in) {
        String text = texts.read(in);
        int slot = text.hashCode() & (SnapshotFormat.MOST_SHARED - 1);
        while (nodes.size() <= slot) {
            nodes.add(null);
        }
        NodeId known = nodes.get(slot);
        if (known != null && known.value().equals(text)) {
            return known;
        }
        NodeId fresh = new NodeId(text);
        nodes.set(slot, fresh);
        return fresh;
    }

    private static List<Integer> devices(PackedInput in) {
        int count = in.count();
        if (count == 0) {
            return List.of();
        }
        Integer[] found = new Integer[count];
        for (int i = 0; i < count; i++) {
            found[i] = in.small();
        }
        return List.of(found);
    }

    private static List<JobSnapshot.InstanceSnapshot> instances(PackedInput in) {
        int count = in.count();
        List<JobSnapshot.InstanceSnapshot> found = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int incarnation = in.small();
            int flags = in.one();
            found.add(
                    new JobSnapshot.InstanceSnapshot(
                            incarnation,
                            (flags & SnapshotWriter.PREPARED) != 0,
                            in.small(),
                            in.small() - 1,
                            (flags & SnapshotWriter.GONE) != 0,
                            (flags & SnapshotWriter.EVIDENCE) != 0));
        }
        return found;
    }

    private RecoveryState recovery(PackedInput in) {
        int incidents = in.small();
        RecoveryState.OpenIncident open = in.one() == 0 ? null : incident(in);
        Spent spent = new Spent(in.small(), in.small(), in.small());
        Tier reached = constant(Tier.class, in);
        int count = in.count();
        List<Scenario> recorded = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            recorded.add(Scenario.valueOf(texts.read(in)));
        }
        return new RecoveryState(incidents, open, spent, reached, recorded);
    }

    private RecoveryState.OpenIncident incident(PackedInput in) {
        return new RecoveryState.OpenIncident(
                Scenario.valueOf(texts.read(in)),
                constant(Tier.class, in),
                texts.read(in),
                in.number());
    }

    private <E extends Enum<E>> @Nullable E constant(Class<E> type, PackedInput in) {
        String name = texts.read(in);
        return name.isEmpty() ? null : Enum.valueOf(type, name);
    }

    private WaitReason reason(PackedInput in) {
        WaitReason read =
                new WaitReason(
                        WaitReason.Code.valueOf(texts.read(in)),
                        texts.read(in),
                        texts.read(in),
                        in.number(),
                        in.number());
        return read.equals(WaitReason.AWAITS_CYCLE) ? WaitReason.AWAITS_CYCLE : read;
    }

    private Ask ask(PackedInput in) {
        ProjectId project = new ProjectId(texts.read(in));
        QueueId queue = new QueueId(texts.read(in));
        int priority = in.small();
        int instances = in.small();
        String accelerator = texts.read(in);
        Resources each = new Resources(in.small(), in.small(), in.small());
        long autoStopSeconds = in.number();
        int maxRestarts = in.small();
        int flags = in.one();
        RestartPolicy restart =
                (flags & 1) == 0
                        ? RestartPolicy.OFF
                        : new RestartPolicy(true, maxRestarts, (flags & 2) != 0, (flags & 4) != 0);
        Watch watch = new Watch(in.small(), in.small());
        return new Ask(
                NO_JOB,
                project,
                queue,
                priority,
                instances,
                accelerator,
                each,
                autoStopSeconds,
                restart,
                (flags & 8) != 0,
                watch.equals(Watch.DEFAULT) ? Watch.DEFAULT : watch);
    }
}
