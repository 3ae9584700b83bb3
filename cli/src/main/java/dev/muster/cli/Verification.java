package dev.muster.cli;

import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.domain.PoolId;
import dev.muster.executor.InstanceRecord;
import dev.muster.executor.InstanceScan;
import dev.muster.platform.journal.JournalReader;
import dev.muster.scheduler.JournalReplay;
import dev.muster.scheduler.JournalReplay.Start;

import io.vertx.sqlclient.Row;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Holds what the journal says against everything else that remembers: accepted jobs, the leader,
 * the read model, and the processes of this machine.
 */
final class Verification {

    private static final long PAUSE_MILLIS = 250;

    private final OpenDirectory open;
    private final DataDirectory directory;
    private final LeaderState leader;

    Verification(OpenDirectory open) {
        this.open = open;
        this.directory = open.directory();
        this.leader = new LeaderState(open);
    }

    VerifyReport run(int settleSeconds) throws InterruptedException {
        VerifyReport report = new VerifyReport();
        for (Row row : open.rows("SELECT pool FROM scheduler.pub_pool_head ORDER BY pool")) {
            verify(new PoolId(row.getString("pool")), settleSeconds, report);
        }
        return report;
    }

    /** Everything of one pool at one moment: the journal's end, and who agrees with it. */
    private record Moment(
            JournalReplay.Result journal,
            Optional<LeaderState.Seen> leader,
            List<String> acceptedOnly,
            List<String> viewDiffers) {

        boolean settled() {
            return acceptedOnly.isEmpty()
                    && viewDiffers.isEmpty()
                    && leader.filter(seen -> !seen.agrees(journal)).isEmpty();
        }
    }

    private void verify(PoolId pool, int settleSeconds, VerifyReport report)
            throws InterruptedException {
        JournalReplay replay = new JournalReplay(open.database(), pool);
        long deadline = System.nanoTime() + settleSeconds * 1_000_000_000L;
        Moment moment = look(pool, replay);
        while (!moment.settled() && System.nanoTime() < deadline) {
            Thread.sleep(PAUSE_MILLIS);
            moment = look(pool, replay);
        }
        JournalReplay.Result journal = moment.journal();
        report.check(pool + ": accepted = journalled", moment.acceptedOnly());
        report.check(pool + ": the journal is sound", journal.findings());
        report.check(pool + ": its inputs decided again give its events", replay.redecide());
        Optional<LeaderState.Seen> seen = moment.leader();
        if (seen.isPresent()) {
            report.check(pool + ": replay = the leader's state", seen.get().differences(journal));
        } else {
            report.skipped(pool + ": replay = the leader's state", "no scheduler runs");
        }
        report.check(pool + ": replay = read model", moment.viewDiffers());
        instances(pool, journal, report);
        told(pool, report);
        report.figure(pool + " jobs", new TreeMap<>(journal.jobsByState()));
        report.figure(pool + " seq", journal.seq());
        report.figure(pool + " state", journal.stateHash());
    }

    private Moment look(PoolId pool, JournalReplay replay) throws InterruptedException {
        Optional<LeaderState.Seen> seen = leader.of(pool);
        JournalReplay.Result journal = replay.run();
        return new Moment(journal, seen, acceptedOnly(pool, journal), viewDiffers(pool, journal));
    }

    private List<String> acceptedOnly(PoolId pool, JournalReplay.Result journal) {
        List<String> missing = new ArrayList<>();
        for (Row row :
                open.rows(
                        "SELECT s.job FROM gateway.pub_submission s JOIN gateway.pub_job j ON j.job"
                                + " = s.job WHERE j.pool = $1",
                        pool.value())) {
            JobId job = JobId.of(row.getUUID("job"));
            if (!journal.jobs().containsKey(job)) {
                missing.add("job " + job + " was accepted, but the journal does not know it");
            }
        }
        return missing;
    }

    private List<String> viewDiffers(PoolId pool, JournalReplay.Result journal) {
        List<String> differences = new ArrayList<>();
        Set<JobId> seen = new HashSet<>();
        for (Row row :
                open.rows("SELECT job, state FROM gateway.pub_job WHERE pool = $1", pool.value())) {
            JobId job = JobId.of(row.getUUID("job"));
            seen.add(job);
            JobState state = journal.jobs().getOrDefault(job, JobState.SUBMITTED);
            if (!state.name().equals(row.getString("state"))) {
                differences.add(
                        "job "
                                + job
                                + " is "
                                + state
                                + ", the view says "
                                + row.getString("state"));
            }
        }
        journal.jobs().keySet().stream()
                .filter(job -> !seen.contains(job))
                .forEach(job -> differences.add("the view does not know job " + job));
        return differences;
    }

    private void instances(PoolId pool, JournalReplay.Result journal, VerifyReport report) {
        List<InstanceRecord> records;
        try {
            records = InstanceScan.of(directory.path());
        } catch (IOException e) {
            report.skipped(pool + ": processes", "the instances cannot be read: " + e.getMessage());
            return;
        }
        List<String> wrongStarts = new ArrayList<>();
        List<String> wrongLife = new ArrayList<>();
        Map<Start, Integer> onDisk = new HashMap<>();
        int living = 0;
        for (InstanceRecord each : records) {
            JobState state = journal.jobs().get(each.instance().job());
            if (state == null) {
                continue; // another pool's
            }
            living += each.living().isEmpty() ? 0 : 1;
            for (InstanceRecord.Start start : each.processStarts()) {
                onDisk.merge(start(each, start.number()), start.starts(), Integer::sum);
            }
            if (state.terminal() && !each.living().isEmpty()) {
                wrongLife.add(
                        each.instance()
                                + " of a job that is "
                                + state
                                + " still has processes "
                                + each.living());
            }
        }
        onDisk.forEach((start, times) -> {
            if (times > 1) {
                wrongStarts.add(start + " was started " + times + " times");
            }
        });
        journal.starts()
                .forEach((start, times) -> {
                    if (onDisk.getOrDefault(start, 1) != 1) {
                        wrongStarts.add(
                                start
                                        + " is in the journal, but its files tell of "
                                        + onDisk.get(start)
                                        + " starts");
                    }
                });
        report.check(pool + ": every process start happened exactly once", wrongStarts);
        report.check(pool + ": an ended attempt has no processes", wrongLife);
        report.figure(pool + " starts", journal.starts().size());
        report.figure(pool + " living instances", living);
    }

    /** What was carried out and told against the facts that say so. */
    private void told(PoolId pool, VerifyReport report) {
        DeliveryCheck receivers;
        try {
            receivers = DeliveryCheck.of(pool.value(), directory.deliveries(), directory.store());
        } catch (IOException e) {
            report.skipped(pool + ": deliveries", "a receiver's file cannot be read: " + e);
            return;
        }
        List<String> lostEvidence = new ArrayList<>();
        JournalFacts.forEach(
                new JournalReader(open.vertx(), open.database(), pool),
                DeliveryCheck.types(),
                OpenDirectory::await,
                fact -> {
                    receivers.take(fact);
                    if (fact.type().equals("EvidenceKept")) {
                        evidence(fact, lostEvidence);
                    }
                });
        report.check(pool + ": evidence that was kept is there", lostEvidence);
        report.check(pool + ": what demos were told = journal", receivers.wrong());
        report.figure(pool + " deliveries to demos", receivers.deliveries());
    }

    private void evidence(JournalFacts.Fact fact, List<String> lost) {
        String location = fact.data().path("location").asText();
        if (DemoProof.evidenceFile(directory.store(), location)
                .filter(file -> !Files.exists(file))
                .isPresent()) {
            lost.add(fact + ": " + location + " is not there");
        }
    }

    private static Start start(InstanceRecord record, int number) {
        return new Start(
                record.instance().job(),
                record.instance().attempt(),
                record.instance().index(),
                record.instance().incarnation(),
                number);
    }
}
