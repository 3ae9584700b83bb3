package dev.muster.monitor;

import dev.muster.domain.Command;
import dev.muster.domain.Message;
import dev.muster.domain.Scenario;
import dev.muster.monitor.HangDetector.Hang;
import dev.muster.platform.kafka.ProgressRecord;
import dev.muster.platform.kafka.ProgressRecord.Signal;
import dev.muster.platform.run.Failpoints;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Says of each process start what is to be said, each thing once. The ids derive from the counters,
 * so that what another monitor said before is the same verdict, not a second one. Of the term's
 * thread.
 */
public final class Verdicts {

    private static final int ALL = -1;

    /** Is told what is counted. */
    public interface Meter {
        void hung(long delayMillis);

        void exited(ExitClassification found);

        /**
         * @param current whether the signal was of its gang's counters
         */
        void signal(boolean current);
    }

    private final long progressWindowMillis;
    private final Consumer<Message> out;
    private final Meter metrics;

    /**
     * @param out takes the verdicts in their order
     */
    public Verdicts(long progressWindowMillis, Consumer<Message> out, Meter metrics) {
        this.progressWindowMillis = progressWindowMillis;
        this.out = out;
        this.metrics = metrics;
    }

    /**
     * Takes signals in. Those of an executor that lost its shard are not believed.
     *
     * @param judging whether verdicts may follow
     */
    public void heard(LiveJobs jobs, ProgressRecord record, boolean judging) {
        if (record.shardEpoch() < jobs.shardEpoch()) {
            return;
        }
        Set<LiveJob> heard = new LinkedHashSet<>();
        for (Signal each : record.signals()) {
            LiveJob job = jobs.get(each.instance().job());
            boolean current = job != null && job.saw(each);
            metrics.signal(current);
            if (current && job != null) {
                heard.add(job);
            }
        }
        if (judging) {
            heard.forEach(this::look);
        }
    }

    /** Looks at what the latest signals say of a job. */
    void look(LiveJob job) {
        HangDetector.look(job).ifPresent(hang -> hung(job, hang));
        progress(job);
    }

    private void hung(LiveJob job, Hang hang) {
        if (job.give(Scenario.JOB_HANGED.name())) {
            Failpoints.reach("monitor.hang.found");
            metrics.hung(hang.silentMillis() - hang.thresholdMillis());
            report(job, Scenario.JOB_HANGED, true, ALL, hang.message());
        }
    }

    /** Classifies an exit, unless its gang's counters have moved on since. */
    public void judge(LiveJobs jobs, LiveJobs.Exit exit) {
        LiveJob job = jobs.of(exit);
        if (job != null) {
            exited(job, exit.index());
        }
    }

    /**
     * Classifies the exit of an instance that is not 0, once a process start: where another one
     * told a failure or was killed, this exit follows from that.
     */
    void exited(LiveJob job, int index) {
        if (job.instance(index).exitCode() <= 0 || !job.give("EXIT")) {
            return;
        }
        Integer failed = job.failed();
        int origin = failed == null ? index : failed;
        LiveInstance instance = job.instance(origin);
        ExitClassification found =
                ExitClassification.of(origin, instance.exitCode(), instance.failure());
        Failpoints.reach("monitor.exit.classified");
        metrics.exited(found);
        report(job, found.scenario(), found.environment(), origin, found.message());
    }

    private void report(
            LiveJob job, Scenario scenario, boolean environment, int index, String message) {
        out.accept(
                new Command.ReportIncident(
                        id("incident", job) + "-" + scenario.name(),
                        job.id(),
                        job.attempt(),
                        job.incarnation(),
                        job.processStart(),
                        scenario,
                        environment,
                        index,
                        message));
    }

    /**
     * A gang that was restarted has made progress once all of it has run for the window and its
     * logs or steps have moved within it.
     */
    private void progress(LiveJob job) {
        if (!job.restarted() || !job.runs() || !advanced(job) || !job.give("PROGRESS")) {
            return;
        }
        out.accept(
                new Command.ReportProgress(
                        id("progress", job),
                        job.id(),
                        job.attempt(),
                        job.incarnation(),
                        job.processStart()));
    }

    private boolean advanced(LiveJob job) {
        boolean moved = false;
        for (LiveInstance each : job.instances()) {
            if (!each.runs()) {
                continue; // it has done its part
            }
            Signal signal = each.signal();
            if (signal == null || signal.runMillis() < progressWindowMillis) {
                return false;
            }
            moved |= signal.logBytes() > 0 && signal.silentMillis() < progressWindowMillis;
        }
        return moved;
    }

    private static String id(String kind, LiveJob job) {
        return "%s-%s-%d-%d-%d"
                .formatted(kind, job.id(), job.attempt(), job.incarnation(), job.processStart());
    }
}
