package dev.muster.scheduler;

import dev.muster.domain.Event;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.PoolId;
import dev.muster.domain.RecoveryResult;
import dev.muster.domain.RecoveryState.OpenIncident;
import dev.muster.domain.Scenario;
import dev.muster.domain.Tier;
import dev.muster.platform.codec.EncodedEvent;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Counts restarts by tier, cause and result, and how long those took that succeeded. Holds one
 * entry per restart under way. Rows come one at a time, on some thread.
 */
final class RestartMeters {

    /**
     * A restart under way.
     *
     * @param sinceMillis 0 if it began under an earlier leader
     */
    private record Begun(Tier tier, Scenario cause, long sinceMillis) {}

    private final MeterRegistry meters;
    private final String pool;
    private final Map<JobId, Begun> begun = new ConcurrentHashMap<>();

    RestartMeters(MeterRegistry meters, PoolId pool) {
        this.meters = meters;
        this.pool = pool.value();
    }

    /** A job as a new leader finds it. */
    void begin(JobSnapshot job) {
        OpenIncident open = job.recovery().open();
        if (open != null && open.tier() != null) {
            begun.put(job.ask().job(), new Begun(open.tier(), open.scenario(), 0));
        }
    }

    void committed(CommittedRow row) {
        for (EncodedEvent each : row.events()) {
            if (each.event() instanceof Event.OfRecovery event) {
                take(event, row.atMillis());
            }
        }
    }

    private void take(Event.OfRecovery event, long atMillis) {
        switch (event) {
            case Event.JobRestarting e -> {
                Begun next = new Begun(e.tier(), e.scenario(), atMillis);
                count(begun.put(e.job(), next), RecoveryResult.DOWNGRADE);
            }
            case Event.JobRestarted e -> {
                Begun done = begun.remove(e.job());
                count(done, RecoveryResult.SUCCESS);
                if (done != null && done.sinceMillis() > 0) {
                    time(done, atMillis);
                }
            }
            case Event.IncidentClosed e -> count(begun.remove(e.job()), e.result());
            case Event.JobHanged _,
                    Event.IncidentOpened _,
                    Event.VerdictAwaited _,
                    Event.RecoveryReset _,
                    Event.JobPreempted _,
                    Event.EvidenceKept _ -> {
                // no restart begins or ends
            }
        }
    }

    private void count(@Nullable Begun restart, RecoveryResult result) {
        if (restart != null) {
            Counter.builder("muster.scheduler.restarts")
                    .description("Restarts that ended, by tier, cause and result")
                    .tag("pool", pool)
                    .tag("tier", restart.tier().ledgerName())
                    .tag("cause", restart.cause().name())
                    .tag("result", result.name())
                    .register(meters)
                    .increment();
        }
    }

    private void time(Begun restart, long atMillis) {
        Timer.builder("muster.scheduler.restart")
                .description("Time from a restart's order until every instance runs again")
                .tag("pool", pool)
                .tag("tier", restart.tier().ledgerName())
                .register(meters)
                .record(Math.max(0, atMillis - restart.sinceMillis()), TimeUnit.MILLISECONDS);
    }
}
