package dev.muster.executor;

import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSpec;
import dev.muster.domain.Report;
import dev.muster.platform.run.Failpoints;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Raises observed to desired: keeps both sides of each job, compares those that changed, and acts
 * on the difference. Of the term's thread.
 */
public final class Reconciler {

    /** What it acts through. */
    public record Means(
            long shardEpoch,
            BackendSession session,
            Consumer<Report> reports,
            Specs specs,
            Meter meter) {}

    /** Specifications by job and hash. */
    public interface Specs {
        /** Null if it has to be fetched first: then it is, and its arrival told. */
        @Nullable Found get(JobId job, String hash);

        /** Fetches what is wanted. */
        void fetch();
    }

    /** What is known of a job's specification. */
    public sealed interface Found {

        record Spec(JobSpec spec) implements Found {}

        /** It can never be had; one sentence. */
        record Broken(String message) implements Found {}
    }

    /** Is told what is counted. */
    public interface Meter {
        void started();

        void ordered();
    }

    private final Means means;
    private final Map<JobId, Map<InstanceRef, ObservedInstance>> observed = new HashMap<>();
    private final Set<JobId> changed = new LinkedHashSet<>();
    private DesiredState desired = new DesiredState();
    private boolean ready;
    private int live;

    public Reconciler(Means means) {
        this.means = means;
    }

    /** The state to fold facts into. */
    public void load(DesiredState state) {
        desired = state;
    }

    /** Folds a fact. */
    public void fact(Event event) {
        JobId job = desired.apply(event);
        if (job != null) {
            changed.add(job);
        }
    }

    /**
     * Both sides are known from now on.
     *
     * @param existing what the backend has
     */
    public void begin(Set<InstanceRef> existing) {
        for (InstanceRef each : existing) {
            InstanceRef next =
                    new InstanceRef(
                            each.job(), each.attempt(), each.index(), each.incarnation() + 1);
            ObservedInstance found = ObservedInstance.existing(each);
            // its successor was made once nothing was left of it
            boolean succeeded = existing.contains(next);
            observe(succeeded ? found.after(new InstanceChange.Gone(each)) : found);
            DesiredJob job = desired.job(each.job());
            if (!succeeded && job != null && job.attempt() == each.attempt()) {
                means.session.adopt(each);
            }
        }
        ready = true;
        recheck();
    }

    /** Something became true of an instance. */
    public void change(InstanceChange change) {
        Map<InstanceRef, ObservedInstance> all = observed.get(change.instance().job());
        ObservedInstance known = all == null ? null : all.get(change.instance());
        if (known == null) {
            return; // of an attempt that was released
        }
        observe(known.after(change));
        Report report = report(change);
        if (report != null) {
            means.reports.accept(report);
        }
        if (change instanceof InstanceChange.Started) {
            means.meter.started();
        }
        changed.add(change.instance().job());
    }

    /** The specification of a job arrived. */
    public void specArrived(JobId job) {
        changed.add(job);
    }

    /** Compares every job anew. */
    public void recheck() {
        changed.addAll(observed.keySet());
        for (DesiredJob each : desired.jobs()) {
            changed.add(each.job());
        }
    }

    /** Acts on what changed. */
    public void reconcile() {
        if (!ready || changed.isEmpty()) {
            return;
        }
        List<JobId> jobs = new ArrayList<>(changed);
        changed.clear();
        for (JobId each : jobs) {
            reconcile(each);
        }
        means.specs.fetch();
    }

    /** Instances that exist and are not gone. */
    public int live() {
        return live;
    }

    private void reconcile(JobId id) {
        DesiredJob job = desired.job(id);
        Collection<ObservedInstance> all = observed.getOrDefault(id, Map.of()).values();
        for (Action action : Diff.of(job, all)) {
            switch (action) {
                case Action.Make make -> make(job, make);
                case Action.Raise(InstanceRef instance, InstanceOrder order) ->
                        raise(instance, order);
                case Action.DeclareGone(InstanceRef instance, boolean outputsLost) -> {
                    observe(ObservedInstance.existing(instance));
                    if (outputsLost) {
                        change(
                                new InstanceChange.Failed(
                                        instance, FailureCause.OUTPUT_SYNC, OUTPUTS_LOST));
                    }
                    change(new InstanceChange.Gone(instance));
                }
                case Action.Release(JobId of, int attempt) -> release(of, attempt);
            }
        }
    }

    private void make(@Nullable DesiredJob job, Action.Make make) {
        if (job == null) {
            return;
        }
        switch (means.specs.get(job.job(), job.specHash())) {
            case null -> {} // comes back when it has arrived
            case Found.Broken(String message) -> {
                observe(ObservedInstance.existing(make.instance()));
                change(
                        new InstanceChange.Failed(
                                make.instance(), FailureCause.PREPARATION, message));
            }
            case Found.Spec(JobSpec spec) -> {
                Failpoints.reach("executor.order.planned");
                observe(ObservedInstance.existing(make.instance()).ordered(make.order()));
                means.session.make(
                        new Grant(job.job(), job.attempt(), spec), make.instance(), make.order());
                means.meter.ordered();
                Failpoints.reach("executor.order.given");
            }
        }
    }

    private void raise(InstanceRef instance, InstanceOrder order) {
        ObservedInstance known = observed.getOrDefault(instance.job(), Map.of()).get(instance);
        if (known == null) {
            return;
        }
        Failpoints.reach("executor.order.planned");
        observe(known.ordered(order));
        means.session.raise(instance, order);
        means.meter.ordered();
        Failpoints.reach("executor.order.given");
    }

    private void release(JobId job, int attempt) {
        Map<InstanceRef, ObservedInstance> all = observed.get(job);
        if (all == null) {
            return;
        }
        Set<InstanceRef> ended = new HashSet<>(all.keySet());
        ended.removeIf(each -> each.attempt() != attempt);
        for (InstanceRef each : ended) {
            ObservedInstance last = all.remove(each);
            if (last != null && !last.gone()) {
                live--;
            }
        }
        if (all.isEmpty()) {
            observed.remove(job);
        }
        means.session.release(job, attempt);
        Failpoints.reach("executor.attempt.released");
    }

    private void observe(ObservedInstance instance) {
        ObservedInstance before =
                observed.computeIfAbsent(instance.instance().job(), _ -> new HashMap<>(2))
                        .put(instance.instance(), instance);
        live += (instance.gone() ? 0 : 1) - (before == null || before.gone() ? 0 : 1);
    }

    private static final String OUTPUTS_LOST =
            "it is nowhere to be found at its end: what it had not carried out yet is lost";

    private @Nullable Report report(InstanceChange change) {
        long epoch = means.shardEpoch;
        return switch (change) {
            case InstanceChange.Prepared(InstanceRef instance) ->
                    new Report.InstancePrepared(epoch, instance);
            case InstanceChange.Started(InstanceRef instance, int number) ->
                    new Report.InstanceStarted(epoch, instance, number);
            case InstanceChange.Exited(InstanceRef instance, int number, int code) ->
                    new Report.InstanceExited(epoch, instance, number, code);
            case InstanceChange.Failed f ->
                    new Report.InstanceFailed(epoch, f.instance(), f.cause(), f.message());
            case InstanceChange.Gone(InstanceRef instance) ->
                    new Report.InstanceGone(epoch, instance);
            case InstanceChange.EvidenceKept e ->
                    new Report.EvidenceKept(
                            epoch, e.instance(), e.processStart(), e.incident(), e.location());
            case InstanceChange.Signalled _ -> null; // travels with the progress
            case InstanceChange.Noticed n ->
                    new Report.NoticeRaised(epoch, n.instance(), n.level(), n.message());
        };
    }
}
