package dev.muster.bench;

import dev.muster.bench.KillClient.Answer;
import dev.muster.bench.KillJobs.Job;
import dev.muster.bench.KillJournal.Story;
import dev.muster.bench.KillLedger.Content;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** Holds what clients were told against the journal, the ledger and the receivers. */
final class KillAudit {

    private static final int SETTLE_SECONDS = 60;
    private static final long DRAIN_SECONDS = 600;
    private static final long LOOK_MILLIS = 500;
    private static final int SHOWN = 20;

    private final KillStack stack;
    private final KillLoad load;
    private final KillLedger ledger;
    private final KillReceivers receivers;
    private final KillJournal journal;
    private final Set<String> lost = new TreeSet<>();
    private final Set<String> doubled = new TreeSet<>();
    private final Set<String> partial = new TreeSet<>();
    private final Set<String> otherwise = new TreeSet<>();
    private long verified;

    KillAudit(KillStack stack, KillLoad load, KillLedger ledger, KillReceivers receivers) {
        this.stack = stack;
        this.load = load;
        this.ledger = ledger;
        this.receivers = receivers;
        Set<String> told = new HashSet<>(KillReceivers.TAKEN_TYPES);
        told.addAll(KillReceivers.REFUSED_TYPES);
        this.journal = new KillJournal(told);
    }

    /** {@code muster verify}, while nothing is submitted; says what it found. */
    String verify() throws InterruptedException {
        JsonObject report = new JsonObject(stack.verify(SETTLE_SECONDS));
        verified++;
        JsonArray findings = report.getJsonArray("findings");
        findings.forEach(each -> found(otherwise, "verify: " + each));
        return findings.isEmpty() ? "sound" : findings.size() + " findings";
    }

    /** What can be seen at any time: nothing twice, no gang in part. */
    void look() {
        journal.readOn(stack.postgres());
        Content written = ledger.read();
        written.twice()
                .forEach(each -> found(doubled, "process start " + each + " happened twice"));
        Map<String, Job> known = load.acknowledged();
        journal.stories()
                .forEach((id, story) -> {
                    Job job = known.get(id);
                    if (story.submitted() > 1) {
                        found(doubled, "job " + id + " was submitted " + story.submitted());
                    }
                    if (story.ends() > 1) {
                        found(doubled, "job " + id + " ended " + story.ends() + " times");
                    }
                    if (job != null) {
                        granted(id, job, story);
                    }
                });
        load.wrong().forEach(each -> found(doubled, each));
        receivers.wrong().forEach(each -> found(otherwise, each));
    }

    private void granted(String id, Job job, Story story) {
        int wanted = job.kind().instances();
        for (int each : story.granted()) {
            if (each != wanted) {
                found(partial, "job %s of %d was granted %d".formatted(id, wanted, each));
            }
        }
    }

    /** Waits until everything has ended and was told, then holds each job against all of it. */
    void end(KillClient client) throws InterruptedException {
        load.finish();
        Map<String, Job> known = load.acknowledged();
        await("jobs have not ended", () -> open(known));
        await("webhooks have not come", () -> untold().size());
        look();
        Content written = ledger.read();
        known.forEach((id, job) -> ended(id, job, written));
        for (String id : known.keySet()) {
            known(client, id);
        }
        for (String id : journal.stories().keySet()) {
            if (!known.containsKey(id)) {
                found(doubled, "job " + id + " was acknowledged to nobody");
            }
        }
        untold().forEach(each -> found(lost, "no webhook told of " + each));
        Set<String> invented = new TreeSet<>(receivers.events());
        invented.removeAll(journal.toTell());
        invented.forEach(each -> found(otherwise, "a webhook told of " + each));
    }

    private interface Count {
        long now();
    }

    /** What is left when patience ends is found by the checks that follow. */
    private void await(String what, Count count) throws InterruptedException {
        long begun = System.nanoTime();
        long said = begun;
        while (true) {
            journal.readOn(stack.postgres());
            long left = count.now();
            long now = System.nanoTime();
            if (left == 0 || now - begun > TimeUnit.SECONDS.toNanos(DRAIN_SECONDS)) {
                return;
            }
            if (now - said > TimeUnit.SECONDS.toNanos(10)) {
                said = now;
                Progress.say(left + " " + what);
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    private long open(Map<String, Job> known) {
        return known.keySet().stream()
                .filter(id -> {
                    Story story = journal.stories().get(id);
                    return story == null || story.ends() == 0;
                })
                .count();
    }

    private Set<String> untold() {
        Set<String> left = new TreeSet<>(journal.toTell());
        left.removeAll(receivers.events());
        return left;
    }

    private void ended(String id, Job job, Content written) {
        Story story = journal.stories().get(id);
        if (story == null) {
            found(lost, "job " + id + " was acknowledged, the journal does not know it");
        } else if (story.ends() == 0) {
            found(lost, "job " + id + ", " + job.kind() + ", has not ended");
        } else if (!job.kind().ends().contains(story.state())) {
            found(otherwise, "job " + id + ", " + job.kind() + ", is " + story.state());
        } else if (story.state().equals("SUCCEEDED")
                && !written.whole(id, job.kind().instances())) {
            found(
                    written.any(id) ? partial : lost,
                    "job "
                            + id
                            + ", "
                            + job.kind()
                            + ", succeeded, but not all of it ran to its end");
        }
    }

    private void known(KillClient client, String id) throws InterruptedException {
        try {
            Answer answer = client.get("/api/v1/jobs/" + id);
            String state = answer.well() ? answer.json().getString("state") : answer.body();
            Story story = journal.stories().get(id);
            if (story == null || !story.state().equals(state)) {
                found(lost, "job " + id + " is shown as " + state);
            }
        } catch (IOException e) {
            found(lost, "job " + id + " cannot be asked for: " + e.getMessage());
        }
    }

    private void found(Set<String> where, String what) {
        if (where.add(what) && where.size() <= SHOWN) {
            Progress.say("FOUND: " + what);
        }
    }

    /** Acknowledged and not there, not run, or not told. */
    int lost() {
        return lost.size();
    }

    int doubled() {
        return doubled.size();
    }

    int partial() {
        return partial.size();
    }

    /** Everything else that is not as it should be. */
    List<String> otherwise() {
        return List.copyOf(otherwise);
    }

    long verified() {
        return verified;
    }

    boolean holds() {
        return lost.isEmpty() && doubled.isEmpty() && partial.isEmpty() && otherwise.isEmpty();
    }
}
