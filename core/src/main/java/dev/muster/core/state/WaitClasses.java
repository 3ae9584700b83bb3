package dev.muster.core.state;

import dev.muster.domain.Ask;
import dev.muster.domain.JobBlock;
import dev.muster.domain.WaitReason;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Waiting jobs in classes of (queue, signature, instances, priority): jobs of one class differ in
 * age alone, so one attempt to place the oldest speaks for all. A class is active when the next
 * cycle has to look at it, otherwise parked: nothing that it depends on has changed since it was
 * found not to fit. Which classes are parked is memory only; a core that has all of them active
 * decides the same.
 */
public final class WaitClasses {

    public static final int NONE = -1;

    private static final int PRIORITY_BITS = 8;

    /** Classes that the next cycle looks at. */
    public final IntBag active;

    /** Classes known not to fit. */
    public final IntBag parked;

    private final JobTable jobs;
    private final PairIndex index;
    private final SlotAllocator slots;
    private final NameTable queues;
    private final SignatureTable signatures;
    private final IntColumn heads;
    private final IntColumn tails;
    private final IntColumn sizes;

    /** First job whose reason may not be of the class's kind. */
    private final IntColumn unexplained;

    private final RefColumn<WaitReason.Code> kinds;

    private final IntColumn classOf;
    private final IntColumn next;
    private final IntColumn previous;

    WaitClasses(UndoLog undo, JobTable jobs) {
        this.jobs = jobs;
        this.active = new IntBag(undo);
        this.parked = new IntBag(undo);
        this.index = new PairIndex(undo);
        this.slots = new SlotAllocator(undo);
        this.queues = new NameTable(undo);
        this.signatures = new SignatureTable(undo);
        this.heads = new IntColumn(undo, NONE);
        this.tails = new IntColumn(undo, NONE);
        this.sizes = new IntColumn(undo, 0);
        this.unexplained = new IntColumn(undo, NONE);
        this.kinds = new RefColumn<>(undo);
        this.classOf = new IntColumn(undo, NONE);
        this.next = new IntColumn(undo, NONE);
        this.previous = new IntColumn(undo, NONE);
    }

    public int size(int waitClass) {
        return sizes.get(waitClass);
    }

    /** The oldest job of the class. */
    public int head(int waitClass) {
        return heads.get(waitClass);
    }

    public int next(int job) {
        return next.get(job);
    }

    public Signature signature(int waitClass) {
        return signatures.get(signatureId(waitClass));
    }

    /** Below {@link #signatureLimit}; the same for equal signatures. */
    public int signatureId(int waitClass) {
        return (int) index.first(waitClass);
    }

    public int signatureLimit() {
        return signatures.limit();
    }

    public int instances(int waitClass) {
        return (int) (index.second(waitClass) >>> PRIORITY_BITS);
    }

    public int priority(int waitClass) {
        return (int) index.second(waitClass) & ((1 << PRIORITY_BITS) - 1);
    }

    /** The first job that has not been told why its class waits, {@link #NONE} if all have. */
    public int unexplained(int waitClass) {
        return unexplained.get(waitClass);
    }

    int classOf(int job) {
        return classOf.get(job);
    }

    /** Makes room for this many jobs. */
    void reserve(int jobCount) {
        List.of(classOf, next, previous).forEach(each -> each.reserve(jobCount));
    }

    // Memory about the state: the cycle keeps it.

    public void park(int waitClass) {
        active.remove(waitClass);
        parked.add(waitClass);
    }

    public void wake(int waitClass) {
        parked.remove(waitClass);
        active.add(waitClass);
    }

    /**
     * Notes why the class waits: if that is another kind of reason, all its jobs are to be told.
     */
    public void setKind(int waitClass, WaitReason.Code kind) {
        if (kinds.find(waitClass) != kind) {
            kinds.set(waitClass, kind);
            unexplained.set(waitClass, heads.get(waitClass));
        }
    }

    /** Notes that jobs before this one have been told, {@link #NONE} for all. */
    public void explainedUpTo(int waitClass, int job) {
        unexplained.set(waitClass, job);
    }

    // Part of the fold.

    void add(int job) {
        int waitClass = acquire(jobs.asks.get(job));
        classOf.set(job, waitClass);
        long age = jobs.submittedSeq.get(job);
        int before = placeFor(waitClass, age);
        int after = before == NONE ? heads.get(waitClass) : next.get(before);
        link(waitClass, before, job);
        link(waitClass, job, after);
        sizes.add(waitClass, 1);
        int told = unexplained.get(waitClass);
        if (told == NONE || jobs.submittedSeq.get(told) > age) {
            unexplained.set(waitClass, job);
        }
        wake(waitClass);
    }

    /** Adds jobs of a snapshot, which are younger than those before them. */
    final class Loader {

        /** Class by the number of an ask, as long as that is the same ask. */
        private int[] classes = new int[1024];

        private @Nullable Ask[] of = new Ask[1024];

        void add(int first, JobBlock.Tables tables, JobBlock.Columns columns, int from, int to) {
            int[] asks = columns.asks();
            int[] reasons = columns.reasons();
            for (int row = from; row < to; row++) {
                append(
                        first + row - from,
                        classOf(tables.asks().get(asks[row]), asks[row]),
                        tables.reasons().get(reasons[row]).code());
            }
        }

        private int classOf(Ask ask, int number) {
            if (number >= of.length) {
                int room = Math.max(number + 1, 2 * of.length);
                of = Arrays.copyOf(of, room);
                classes = Arrays.copyOf(classes, room);
            }
            if (!Objects.equals(of[number], ask)) {
                of[number] = ask;
                classes[number] = acquire(ask);
            }
            return classes[number];
        }

        private void append(int job, int waitClass, WaitReason.Code told) {
            int last = tails.get(waitClass);
            classOf.set(job, waitClass);
            link(waitClass, last, job);
            link(waitClass, job, NONE);
            sizes.add(waitClass, 1);
            boolean untold = told == WaitReason.Code.AWAITS_CYCLE;
            if (sizes.get(waitClass) == 1) {
                kinds.set(waitClass, untold ? null : told);
                wake(waitClass);
            }
            if ((untold || told != kinds.find(waitClass)) && unexplained.get(waitClass) == NONE) {
                unexplained.set(waitClass, job);
            }
        }
    }

    /**
     * The job after which one of this age belongs. Searched from both ends at once: new jobs belong
     * to the end, jobs that come back are older than most.
     */
    private int placeFor(int waitClass, long age) {
        int fromTail = tails.get(waitClass);
        int fromHead = heads.get(waitClass);
        while (fromTail != NONE && jobs.submittedSeq.get(fromTail) > age) {
            if (jobs.submittedSeq.get(fromHead) > age) {
                return previous.get(fromHead);
            }
            fromTail = previous.get(fromTail);
            fromHead = next.get(fromHead);
        }
        return fromTail;
    }

    /** Makes {@code job} follow {@code before}; either may be {@link #NONE}: the class's ends. */
    private void link(int waitClass, int before, int job) {
        if (before == NONE) {
            heads.set(waitClass, job);
        } else {
            next.set(before, job);
        }
        if (job == NONE) {
            tails.set(waitClass, before);
        } else {
            previous.set(job, before);
        }
    }

    void remove(int job) {
        int waitClass = classOf.get(job);
        int after = next.get(job);
        link(waitClass, previous.get(job), after);
        if (unexplained.get(waitClass) == job) {
            unexplained.set(waitClass, after);
        }
        classOf.set(job, NONE);
        sizes.add(waitClass, -1);
        if (sizes.get(waitClass) == 0) {
            free(waitClass);
        }
    }

    private int acquire(Ask ask) {
        int queue = queues.acquire(ask.queue().value());
        int signature = signatures.acquire(ask);
        long a = ((long) queue << 32) | signature;
        long b = ((long) ask.instances() << PRIORITY_BITS) | ask.priority();
        int waitClass = index.find(a, b);
        if (waitClass >= 0) {
            queues.release(queue);
            signatures.release(signature);
            return waitClass;
        }
        waitClass = slots.take();
        index.put(waitClass, a, b);
        kinds.set(waitClass, null);
        return waitClass;
    }

    private void free(int waitClass) {
        active.remove(waitClass);
        parked.remove(waitClass);
        queues.release((int) (index.first(waitClass) >>> 32));
        signatures.release(signatureId(waitClass));
        index.remove(waitClass);
        slots.give(waitClass);
    }
}
