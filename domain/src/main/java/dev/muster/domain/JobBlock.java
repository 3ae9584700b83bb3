package dev.muster.domain;

import java.util.ArrayList;
import java.util.List;

/**
 * Some jobs of a snapshot in order of submission. Those that merely wait, which are most of a large
 * pool's, are in columns, so that they can be loaded without an object for each; the others are as
 * in any snapshot.
 */
public final class JobBlock {

    /**
     * Where the columns' values are.
     *
     * @param asks of some job: what differs is the job
     */
    public record Tables(
            List<Ask> asks,
            List<String> names,
            List<String> specHashes,
            List<WaitReason> reasons) {}

    /**
     * Columns of the jobs that merely wait: numbers in the tables, and what is in none.
     *
     * @param idsHigh with idsLow, their ids
     */
    @SuppressWarnings("ArrayRecordComponent") // made for one reader, never compared
    public record Columns(
            int[] asks,
            long[] idsHigh,
            long[] idsLow,
            int[] names,
            int[] specHashes,
            long[] submittedSeqs,
            int[] reasons,
            int[] attempts) {

        public int size() {
            return asks.length;
        }
    }

    private final Tables tables;
    private final Columns waiting;
    private final List<JobSnapshot> others;
    private final int size;

    /** Of each job, whether it is in the columns. */
    private final boolean[] waits;

    /**
     * @param waits whether each job is the next of those that merely wait, otherwise it is the next
     *     of the others
     */
    public JobBlock(boolean[] waits, Tables tables, Columns waiting, List<JobSnapshot> others) {
        this.waits = waits.clone();
        this.tables = tables;
        this.waiting = waiting;
        this.others = List.copyOf(others);
        this.size = waits.length;
        if (size != waiting.size() + this.others.size()) {
            throw new IllegalArgumentException("a block of jobs does not add up");
        }
    }

    /** Some jobs, in tables that repeat what repeats. */
    public static JobBlock of(List<JobSnapshot> jobs) {
        boolean[] waits = new boolean[jobs.size()];
        List<JobSnapshot> waiting = new ArrayList<>();
        List<JobSnapshot> others = new ArrayList<>();
        for (int i = 0; i < waits.length; i++) {
            waits[i] = merelyWaits(jobs.get(i));
            (waits[i] ? waiting : others).add(jobs.get(i));
        }
        int rows = waiting.size();
        int[] numbers = new int[rows];
        long[] high = new long[rows];
        long[] low = new long[rows];
        long[] submitted = new long[rows];
        int[] attempts = new int[rows];
        for (int row = 0; row < rows; row++) {
            JobSnapshot job = waiting.get(row);
            numbers[row] = row;
            high[row] = job.ask().job().hi();
            low[row] = job.ask().job().lo();
            submitted[row] = job.submittedSeq();
            attempts[row] = job.attempt();
        }
        Tables tables =
                new Tables(
                        waiting.stream().map(JobSnapshot::ask).toList(),
                        waiting.stream().map(JobSnapshot::name).toList(),
                        waiting.stream().map(JobSnapshot::specHash).toList(),
                        waiting.stream().map(JobSnapshot::reason).toList());
        Columns columns =
                new Columns(numbers, high, low, numbers, numbers, submitted, numbers, attempts);
        return new JobBlock(waits, tables, columns, others);
    }

    /** Whether a job merely waits: nothing is to be said of it that the columns do not have. */
    public static boolean merelyWaits(JobSnapshot job) {
        return job.state() == JobState.QUEUED
                && job.placements().isEmpty()
                && job.instances().isEmpty()
                && job.processStart() == 0
                && job.endCause() == null
                && job.endMessage().isEmpty()
                && job.endCommandId().isEmpty()
                && job.endRequestedBy().isEmpty()
                && job.runningSinceMillis() == 0
                && job.ranMillis() == 0
                && job.recovery().equals(RecoveryState.NONE);
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public Tables tables() {
        return tables;
    }

    /** Takes the jobs as runs of waiting ones and single others, in order. */
    public interface Visitor {

        /** Waiting jobs from one row of the columns to before another. */
        void waiting(Columns columns, int from, int to);

        void other(JobSnapshot job);
    }

    public void visit(Visitor visitor) {
        int row = 0;
        int other = 0;
        int at = 0;
        while (at < size) {
            int from = row;
            while (at < size && waits[at]) {
                at++;
                row++;
            }
            if (row > from) {
                visitor.waiting(waiting, from, row);
            }
            while (at < size && !waits[at]) {
                visitor.other(others.get(other++));
                at++;
            }
        }
    }

    /** All of them, each as an object. */
    public List<JobSnapshot> jobs() {
        List<JobSnapshot> all = new ArrayList<>(size);
        visit(
                new Visitor() {
                    @Override
                    public void waiting(Columns columns, int from, int to) {
                        for (int row = from; row < to; row++) {
                            all.add(job(row));
                        }
                    }

                    @Override
                    public void other(JobSnapshot job) {
                        all.add(job);
                    }
                });
        return all;
    }

    private JobSnapshot job(int row) {
        return new JobSnapshot(
                tables.asks()
                        .get(waiting.asks[row])
                        .forJob(new JobId(waiting.idsHigh[row], waiting.idsLow[row])),
                tables.names().get(waiting.names[row]),
                tables.specHashes().get(waiting.specHashes[row]),
                waiting.submittedSeqs[row],
                JobState.QUEUED,
                tables.reasons().get(waiting.reasons[row]),
                waiting.attempts[row],
                List.of(),
                List.of(),
                0,
                null,
                "",
                "",
                "",
                0,
                0,
                RecoveryState.NONE);
    }
}
