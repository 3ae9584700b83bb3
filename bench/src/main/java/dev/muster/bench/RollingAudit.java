package dev.muster.bench;

import dev.muster.bench.KillJournal.Story;
import dev.muster.embedded.PostgresConnection;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Holds what clients were told against the journal: each job there once, run once, ended well. */
final class RollingAudit {

    private static final long LOOK_MILLIS = 1000;
    private static final int SHOWN = 20;

    private final PostgresConnection postgres;
    private final KillJournal journal = new KillJournal(Set.of());
    private final Set<String> before;
    private int lost;
    private int doubled;

    /** Jobs that are there already are not looked at. */
    RollingAudit(PostgresConnection postgres) {
        this.postgres = postgres;
        journal.readOn(postgres);
        this.before = new HashSet<>(journal.stories().keySet());
    }

    /** Waits until all have ended, then looks at each. */
    void end(Set<String> acknowledged, long patienceSeconds) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(patienceSeconds);
        journal.readOn(postgres);
        while (open(acknowledged) > 0 && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            journal.readOn(postgres);
        }
        acknowledged.forEach(this::look);
        for (String id : journal.stories().keySet()) {
            if (!before.contains(id) && !acknowledged.contains(id)) {
                twice("job " + id + " was acknowledged to nobody");
            }
        }
    }

    private long open(Set<String> acknowledged) {
        return acknowledged.stream()
                .map(journal.stories()::get)
                .filter(story -> story == null || story.ends() == 0)
                .count();
    }

    private void look(String id) {
        Story story = journal.stories().get(id);
        if (story == null) {
            missing("job " + id + " was acknowledged, the journal does not know it");
        } else if (!story.state().equals("SUCCEEDED")) {
            missing("job " + id + " is " + story.state());
        } else if (story.submitted() != 1 || story.ends() != 1 || story.granted().size() != 1) {
            twice(
                    "job %s was submitted %d times, granted %d times, ended %d times"
                            .formatted(
                                    id, story.submitted(), story.granted().size(), story.ends()));
        }
    }

    private void missing(String what) {
        if (++lost <= SHOWN) {
            Progress.say("LOST: " + what);
        }
    }

    private void twice(String what) {
        if (++doubled <= SHOWN) {
            Progress.say("TWICE: " + what);
        }
    }

    /** Acknowledged, and not run to a good end. */
    int lost() {
        return lost;
    }

    /** Run, ended or submitted more than once, or known to no client. */
    int doubled() {
        return doubled;
    }
}
