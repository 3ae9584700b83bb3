package dev.muster.core;

import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.JobId;
import dev.muster.domain.Scenario;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A monitor as the core sees one: it follows the gangs' counters and judges what they do. It may
 * misbehave: verdicts are missing, come late, come again, or speak of what never was.
 */
final class ModelMonitor {

    /** A gang at its counters, as the events have them. */
    private static final class Gang {
        final int attempt;
        final int instances;
        int incarnation = 1;
        int processStart;

        Gang(int attempt, int instances) {
            this.attempt = attempt;
            this.instances = instances;
        }
    }

    private static final List<Scenario> SCENARIOS = List.of(Scenario.values());

    private final Random random;
    private final SortedMap<JobId, Gang> gangs = new TreeMap<>();
    private final List<Command> due = new ArrayList<>();
    private final List<Command> sent = new ArrayList<>();
    private long number;

    ModelMonitor(Random random) {
        this.random = random;
    }

    void fold(Event event) {
        switch (event) {
            case Event.GangGranted e ->
                    gangs.put(e.job(), new Gang(e.attempt(), e.placements().size()));
            case Event.JobStarting e -> of(e.job()).processStart = e.processStart();
            case Event.JobRestarting e -> {
                of(e.job()).incarnation = e.incarnation();
                of(e.job()).processStart = e.processStart();
            }
            case Event.InstanceExited e -> {
                if (e.exitCode() != 0 && random.nextInt(5) > 0) {
                    due.add(verdict(e.job(), exitScenario(), random.nextBoolean(), e.index()));
                }
            }
            case Event.GangReleased e -> gangs.remove(e.job());
            case Event ignored -> {}
        }
    }

    private Scenario exitScenario() {
        return switch (random.nextInt(6)) {
            case 0 -> Scenario.ERROR_IN_LOG;
            case 1 -> Scenario.NODE_FAULT;
            default -> Scenario.JOB_FAILED;
        };
    }

    private Gang of(JobId job) {
        Gang gang = gangs.get(job);
        if (gang == null) {
            throw new AssertionError("no gang of " + job + " lives");
        }
        return gang;
    }

    private Command verdict(JobId job, Scenario scenario, boolean environment, int index) {
        Gang gang = of(job);
        return new Command.ReportIncident(
                "incident-" + number++,
                job,
                gang.attempt,
                gang.incarnation,
                gang.processStart,
                scenario,
                environment,
                index,
                random.nextBoolean() ? "" : "as was seen");
    }

    /** What it says next: something due, something of its own, or something once more. */
    @Nullable Command speak() {
        if (!due.isEmpty() && random.nextInt(3) > 0) {
            return said(due.remove(random.nextInt(due.size())));
        }
        if (!sent.isEmpty() && random.nextInt(4) == 0) {
            return sent.get(random.nextInt(sent.size()));
        }
        if (gangs.isEmpty()) {
            return null;
        }
        List<JobId> jobs = List.copyOf(gangs.keySet());
        JobId job = jobs.get(random.nextInt(jobs.size()));
        Gang gang = of(job);
        if (random.nextInt(4) == 0) {
            return said(
                    new Command.ReportProgress(
                            "progress-" + number++,
                            job,
                            gang.attempt,
                            gang.incarnation,
                            gang.processStart));
        }
        Scenario scenario =
                random.nextInt(3) > 0
                        ? Scenario.JOB_HANGED
                        : SCENARIOS.get(random.nextInt(SCENARIOS.size()));
        int index = random.nextInt(gang.instances + 2) - 1;
        return said(verdict(job, scenario, random.nextBoolean(), index));
    }

    private Command said(Command command) {
        sent.add(command);
        return command;
    }
}
