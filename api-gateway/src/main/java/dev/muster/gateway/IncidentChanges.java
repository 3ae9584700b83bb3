package dev.muster.gateway;

import dev.muster.domain.Event;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.NodeId;
import dev.muster.domain.PoolSnapshot;
import dev.muster.domain.RecoveryResult;
import dev.muster.domain.RecoveryState.OpenIncident;
import dev.muster.domain.Scenario;

import java.util.ArrayList;
import java.util.List;

/** What a run of events tells of incidents. */
final class IncidentChanges {

    record Opened(
            JobId job,
            int incident,
            int attempt,
            long atMillis,
            Scenario scenario,
            List<Integer> instances,
            List<String> nodes,
            String message) {}

    record Restart(long seq, long atMillis, Event.JobRestarting event) {}

    record Closed(JobId job, int incident, long atMillis, RecoveryResult result, String reason) {}

    private final List<Opened> opened = new ArrayList<>();
    private final List<Restart> restarts = new ArrayList<>();
    private final List<Closed> closed = new ArrayList<>();
    private final List<Event.EvidenceKept> evidence = new ArrayList<>();

    void apply(Event.OfRecovery event, long seq, long atMillis) {
        switch (event) {
            case Event.IncidentOpened e ->
                    opened.add(
                            new Opened(
                                    e.job(),
                                    e.incident(),
                                    e.attempt(),
                                    atMillis,
                                    e.scenario(),
                                    e.instances(),
                                    e.nodes().stream().map(NodeId::value).toList(),
                                    e.message()));
            case Event.JobRestarting e -> restarts.add(new Restart(seq, atMillis, e));
            case Event.JobRestarted e ->
                    closed.add(
                            new Closed(
                                    e.job(), e.incident(), atMillis, RecoveryResult.SUCCESS, ""));
            case Event.IncidentClosed e ->
                    closed.add(
                            new Closed(e.job(), e.incident(), atMillis, e.result(), e.message()));
            case Event.EvidenceKept e -> evidence.add(e);
            case Event.JobHanged _,
                    Event.VerdictAwaited _,
                    Event.RecoveryReset _,
                    Event.JobPreempted _ -> {
                // the incident's own events tell it
            }
        }
    }

    /** An incident that is open in a snapshot; which instances it concerned is not known there. */
    void apply(PoolSnapshot snapshot, JobSnapshot job) {
        OpenIncident open = job.recovery().open();
        if (open != null) {
            opened.add(
                    new Opened(
                            job.ask().job(),
                            job.recovery().incidents(),
                            job.attempt(),
                            snapshot.nowMillis(),
                            open.scenario(),
                            List.of(),
                            List.of(),
                            open.message()));
        }
    }

    List<Opened> opened() {
        return opened;
    }

    List<Restart> restarts() {
        return restarts;
    }

    List<Closed> closed() {
        return closed;
    }

    List<Event.EvidenceKept> evidence() {
        return evidence;
    }
}
