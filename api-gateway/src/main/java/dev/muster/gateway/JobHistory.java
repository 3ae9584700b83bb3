package dev.muster.gateway;

import dev.muster.domain.Event;
import dev.muster.domain.NodeId;
import dev.muster.domain.Placement;
import dev.muster.domain.PoolId;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** A job's own events, found by its runs in the journal and, for the latest, in the ring. */
final class JobHistory {

    private static final int MAX_RUNS = 400;

    private final JournalReader journal;
    private final EventHub hub;

    JobHistory(JournalReader journal, EventHub hub) {
        this.journal = journal;
        this.hub = hub;
    }

    /** In order; of a job with very many, the latest. */
    Future<List<StreamEvent>> of(JobViews.JobRow job) {
        PoolId pool = new PoolId(job.pool());
        List<Long> runs = Arrays.asList(job.runs());
        if (runs.size() > MAX_RUNS) {
            runs = runs.subList(runs.size() - MAX_RUNS, runs.size());
        }
        long known = runs.isEmpty() ? 0 : runs.getLast();
        Future<List<StreamEvent>> read =
                runs.isEmpty() ? Future.succeededFuture(List.of()) : journal.runs(pool, runs);
        return read.map(events -> withLatest(job.id().toString(), pool, known, events));
    }

    private List<StreamEvent> withLatest(
            String job, PoolId pool, long known, List<StreamEvent> events) {
        TreeMap<Long, StreamEvent> bySeq = new TreeMap<>();
        events.forEach(event -> bySeq.put(event.seq(), event));
        EventRing ring = hub.ring(pool);
        for (long seq = Math.max(known + 1, ring.first()); seq <= ring.last(); seq++) {
            StreamEvent event = ring.get(seq);
            if (event != null) {
                bySeq.put(seq, event);
            }
        }
        return bySeq.values().stream().filter(e -> e.record().job().equals(job)).toList();
    }

    /** The instances of the latest attempt, as its events tell; empty before the first grant. */
    static JsonArray instances(List<StreamEvent> events) {
        List<Instance> instances = new ArrayList<>();
        for (StreamEvent each : events) {
            if (each.event() instanceof Event.GangGranted granted) {
                instances.clear();
                granted.placements()
                        .forEach(p -> instances.add(new Instance(granted.attempt(), p)));
            } else if (each.event() instanceof Event.OfJob event) {
                apply(event, instances);
            }
        }
        JsonArray array = new JsonArray();
        instances.forEach(instance -> array.add(instance.json()));
        return array;
    }

    private static void apply(Event.OfJob event, List<Instance> instances) {
        switch (event) {
            case Event.InstancePrepared e -> at(instances, e.index()).state = "PREPARED";
            case Event.InstanceStarted e -> {
                at(instances, e.index()).state = "RUNNING";
                at(instances, e.index()).incarnation = e.incarnation();
                at(instances, e.index()).processStart = e.processStart();
            }
            case Event.InstanceExited e -> {
                at(instances, e.index()).state = "EXITED";
                at(instances, e.index()).exitCode = e.exitCode();
            }
            case Event.InstanceGone e -> at(instances, e.index()).state = "GONE";
            case Event.JobRestarting e -> instances.forEach(each -> each.restart(e));
            case Event.JobHanged _,
                    Event.IncidentOpened _,
                    Event.VerdictAwaited _,
                    Event.JobRestarted _,
                    Event.IncidentClosed _,
                    Event.RecoveryReset _,
                    Event.JobPreempted _,
                    Event.EvidenceKept _,
                    Event.JobSubmitted _,
                    Event.JobQueued _,
                    Event.JobWaiting _,
                    Event.GangGranted _,
                    Event.JobStarting _,
                    Event.JobStarted _,
                    Event.NoticeRecorded _,
                    Event.JobFinishing _,
                    Event.JobStopping _,
                    Event.GangReleased _,
                    Event.JobSucceeded _,
                    Event.JobFailed _,
                    Event.JobStopped _ -> {}
        }
    }

    /** An index that no grant gave can only come of a history that is not whole. */
    private static Instance at(List<Instance> instances, int index) {
        return index < instances.size()
                ? instances.get(index)
                : new Instance(0, new Placement(index, Instance.NOWHERE, List.of()));
    }

    private static final class Instance {

        private static final NodeId NOWHERE = new NodeId("unknown");

        private final int attempt;
        private final Placement placement;
        private int incarnation = 1;
        private int processStart;
        private int exitCode = -1;
        private String state = "PREPARING";

        Instance(int attempt, Placement placement) {
            this.attempt = attempt;
            this.placement = placement;
        }

        /**
         * To be counted from where the restart leads; one whose attempt ends goes on to its end.
         */
        void restart(Event.JobRestarting e) {
            switch (e.tier()) {
                case PROCESS -> exitCode = -1;
                case CONTAINER -> {
                    state = "PREPARING";
                    incarnation = e.incarnation();
                    processStart = 0;
                    exitCode = -1;
                }
                case JOB -> {}
            }
        }

        JsonObject json() {
            JsonObject json =
                    new JsonObject()
                            .put("index", placement.index())
                            .put("node", placement.node().value())
                            .put("devices", new JsonArray(new ArrayList<>(placement.devices())))
                            .put("state", state)
                            .put("attempt", attempt)
                            .put("incarnation", incarnation)
                            .put("processStart", processStart);
            if (exitCode >= 0) {
                json.put("exitCode", exitCode);
            }
            return json;
        }
    }
}
