package dev.muster.scheduler;

import dev.muster.core.PoolCore;
import dev.muster.domain.Event;
import dev.muster.domain.Input;
import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.domain.PoolId;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.JournalBody;
import dev.muster.platform.sql.Database;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reads a pool's whole journal and folds it, for {@code muster verify}: what the state must be,
 * what was started how often, and whether the journal is consistent in itself. Blocks; not for
 * event loops.
 */
public final class JournalReplay {

    private static final int MAX_FINDINGS = 100;

    /** One start of a process: by Muster's promise there is at most one of each. */
    public record Start(JobId job, int attempt, int index, int incarnation, int processStart) {}

    /**
     * What the journal says.
     *
     * @param seq of the last event
     * @param stateHash in hexadecimal, of the folded state
     * @param jobsByState of all jobs ever submitted, by the state that their last event left
     * @param jobs state of each job
     * @param positions lane → n of the last row
     * @param starts how often each start was journalled
     * @param rows of the journal
     * @param findings what does not hold, at most 100 sentences; empty for a sound journal
     */
    public record Result(
            PoolId pool,
            long seq,
            String stateHash,
            Map<JobState, Long> jobsByState,
            Map<JobId, JobState> jobs,
            Map<String, Long> positions,
            Map<Start, Integer> starts,
            long rows,
            List<String> findings) {

        public Result {
            jobsByState = Map.copyOf(jobsByState);
            jobs = Map.copyOf(jobs);
            positions = Map.copyOf(positions);
            starts = Map.copyOf(starts);
            findings = List.copyOf(findings);
        }

        public boolean sound() {
            return findings.isEmpty();
        }
    }

    private final Database database;
    private final PoolId pool;

    public JournalReplay(Database database, PoolId pool) {
        this.database = database;
        this.pool = pool;
    }

    /** Folds the journal from its first row to its last. */
    public Result run() throws InterruptedException {
        Fold fold = new Fold();
        forEachRow(fold::take);
        return fold.result();
    }

    /**
     * Folds the journal from its first row to the last one that ends at a seq or before it.
     *
     * @param compared told of each row's last seq on the way, with the state's hash behind it on
     *     demand: making one costs as much as a snapshot
     */
    public Result runTo(long seq, Passed compared) throws InterruptedException {
        Fold fold = new Fold();
        forEachRow(row -> {
            if (row.lastSeq() <= seq) {
                fold.take(row);
                compared.at(row.lastSeq(), fold::hash);
            }
        });
        return fold.result();
    }

    /** Told where a replay stands. */
    @FunctionalInterface
    public interface Passed {
        void at(long seq, Supplier<String> stateHash);
    }

    /**
     * Decides all journalled inputs again and compares what comes out with the journalled events,
     * byte for byte.
     *
     * @return the differences, at most 100 sentences; rows of another code version are not compared
     */
    public List<String> redecide() throws InterruptedException {
        Redecision redecision = new Redecision();
        forEachRow(redecision::take);
        return redecision.findings.list;
    }

    private void forEachRow(Consumer<JournalRow> visitor) throws InterruptedException {
        Journal journal = new Journal(database, pool);
        long seq = 0;
        while (true) {
            List<JournalRow> rows = Awaited.get(journal.page(seq));
            if (rows.isEmpty()) {
                return;
            }
            rows.forEach(visitor);
            seq = rows.getLast().lastSeq();
        }
    }

    private static final class Findings {
        private final List<String> list = new ArrayList<>();

        void add(String finding) {
            if (list.size() < MAX_FINDINGS) {
                list.add(finding);
            }
        }
    }

    private final class Fold {
        private final PoolFold state = PoolFold.empty(pool, PoolContext.coreSettings());
        private final Map<JobId, JobState> jobs = new HashMap<>();
        private final Map<Start, Integer> starts = new HashMap<>();
        private final Findings findings = new Findings();
        private long rows;
        private long epoch;
        private boolean broken;

        void take(JournalRow row) {
            rows++;
            if (broken) {
                return;
            }
            check(row);
            try {
                CommittedRow committed = row.committed();
                state.fold(committed);
                committed.events().forEach(each -> note(each.event()));
            } catch (RuntimeException e) {
                broken = true;
                findings.add("the journal cannot be folded further: " + e.getMessage());
            }
        }

        private void check(JournalRow row) {
            String where = "row " + row.firstSeq() + ".." + row.lastSeq();
            if (row.epoch() < epoch) {
                findings.add(where + " is of epoch " + row.epoch() + " after epoch " + epoch);
            }
            epoch = row.epoch();
            if (row.atMillis() < state.core().nowMillis()) {
                findings.add(where + " lies before the row that precedes it in time");
            }
            state.positions()
                    .forEach((lane, n) -> {
                        long next = row.positions().getOrDefault(lane, Long.MAX_VALUE);
                        if (next < n) {
                            findings.add(where + " moves lane " + lane + " back to " + next);
                        }
                    });
        }

        private void note(Event event) {
            if (event instanceof Event.InstanceStarted started) {
                Start start =
                        new Start(
                                started.job(),
                                started.attempt(),
                                started.index(),
                                started.incarnation(),
                                started.processStart());
                if (starts.merge(start, 1, Integer::sum) > 1) {
                    findings.add("started more than once: " + start);
                }
            }
            if (event instanceof Event.OfJob ofJob) {
                noteState(ofJob);
            }
        }

        private void noteState(Event.OfJob event) {
            JobState next = stateAfter(event);
            if (next == null) {
                return;
            }
            JobState before = jobs.get(event.job());
            if (next == JobState.STARTING && before == JobState.RESTARTING) {
                return; // of new containers: it restarts until every instance runs
            }
            jobs.put(event.job(), next);
            if (before != null && before.terminal()) {
                findings.add("job " + event.job() + " became " + next + " after its end " + before);
            }
        }

        String hash() {
            return HexFormat.of().formatHex(state.core().stateHash());
        }

        Result result() {
            Map<JobState, Long> byState = new TreeMap<>();
            jobs.values().forEach(each -> byState.merge(each, 1L, Long::sum));
            PoolCore core = state.core();
            if (!broken) {
                try {
                    core.checkInvariants();
                } catch (RuntimeException e) {
                    findings.add("an invariant is broken: " + e.getMessage());
                }
            }
            return new Result(
                    pool,
                    core.seq(),
                    hash(),
                    byState,
                    jobs,
                    state.positions(),
                    starts,
                    rows,
                    findings.list);
        }
    }

    /** Null for an event that leaves the job's state as it is. */
    private static @Nullable JobState stateAfter(Event.OfJob event) {
        return switch (event) {
            case Event.JobSubmitted _ -> JobState.SUBMITTED;
            case Event.JobQueued _ -> JobState.QUEUED;
            case Event.GangGranted _ -> JobState.PREPARING;
            case Event.JobStarting _ -> JobState.STARTING;
            case Event.JobStarted _ -> JobState.RUNNING;
            case Event.JobFinishing _ -> JobState.FINISHING;
            case Event.JobStopping _ -> JobState.STOPPING;
            case Event.JobSucceeded _ -> JobState.SUCCEEDED;
            case Event.JobFailed _ -> JobState.FAILED;
            case Event.JobStopped _ -> JobState.STOPPED;
            case Event.JobRestarting _ -> JobState.RESTARTING;
            case Event.JobRestarted _ -> JobState.RUNNING;
            case Event.JobPreempted _ -> JobState.PREEMPTED;
            case Event.JobHanged _,
                    Event.IncidentOpened _,
                    Event.VerdictAwaited _,
                    Event.IncidentClosed _,
                    Event.RecoveryReset _,
                    Event.EvidenceKept _ ->
                    null;
            case Event.JobWaiting _,
                    Event.InstancePrepared _,
                    Event.InstanceStarted _,
                    Event.InstanceExited _,
                    Event.NoticeRecorded _,
                    Event.InstanceGone _,
                    Event.GangReleased _ ->
                    null;
        };
    }

    private final class Redecision {
        private final PoolCore core = PoolCore.empty(pool, PoolContext.coreSettings());
        private final Findings findings = new Findings();
        private boolean diverged;

        void take(JournalRow row) {
            if (diverged) {
                return;
            }
            if (row.codeVersion() != JournalRow.CODE_VERSION) {
                CommittedRow committed = row.committed();
                core.apply(
                        committed.atMillis(),
                        committed.events().stream().map(EncodedEvent::event).toList());
                return;
            }
            compare(row);
        }

        private void compare(JournalRow row) {
            String where = "row " + row.firstSeq() + ".." + row.lastSeq();
            List<Input> inputs = JournalBody.decode(row.body()).inputs();
            List<JournalBody.RawEvent> journalled = JournalBody.rawEvents(row.body());
            List<Event> decided = core.decide(inputs);
            if (decided.size() != journalled.size()) {
                diverged = true;
                findings.add(
                        where
                                + " holds "
                                + journalled.size()
                                + " events, and its inputs now lead to "
                                + decided.size());
                return;
            }
            for (int i = 0; i < decided.size(); i++) {
                EncodedEvent now = EncodedEvent.of(decided.get(i));
                JournalBody.RawEvent then = journalled.get(i);
                if (!now.type().equals(then.type()) || !Arrays.equals(now.data(), then.data())) {
                    diverged = true;
                    findings.add(
                            "seq "
                                    + (row.firstSeq() + i)
                                    + " is "
                                    + then.type()
                                    + ", and its inputs now lead to another "
                                    + now.type());
                }
            }
        }
    }
}
