package dev.muster.simulation;

import dev.muster.core.CoreSettings;
import dev.muster.core.PoolCore;
import dev.muster.domain.Event;
import dev.muster.domain.InvariantBroken;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.WaitReason;
import dev.muster.platform.codec.Codec;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.JournalBody;
import dev.muster.scheduler.CommittedRow;
import dev.muster.scheduler.JournalRow;
import dev.muster.scheduler.PoolFold;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Knows what must hold, from what was committed and from what really happened. It keeps the first
 * thing that does not.
 */
final class Oracle {

    private final World world;
    private final PoolCore truth = PoolCore.empty(World.POOL, CoreSettings.DEFAULT);
    private final Ledger ledger;
    private final TreeSet<JobId> acknowledged = new TreeSet<>();
    private final Map<String, String> starts = new HashMap<>();
    private @Nullable String violation;
    private long events;
    private long epoch;
    private long comparedSeq;
    private long hashedSeq = -1;
    private byte[] hash = new byte[0];

    Oracle(World world) {
        this.world = world;
        this.ledger = new Ledger(this, world.backend);
    }

    @Nullable String violation() {
        return violation;
    }

    /** Events that leaders decided. */
    long events() {
        return events;
    }

    void decided(int count) {
        events += count;
    }

    void violated(String invariant, String what) {
        if (violation == null) {
            violation = invariant + ": " + what;
            world.trace(() -> "VIOLATION " + violation);
        }
    }

    void require(boolean holds, String invariant, Object what) {
        if (!holds) {
            violated(invariant, String.valueOf(what));
        }
    }

    void broken(SimProcess process, Throwable cause) {
        violated("the core's invariants hold", process + ": " + cause.getMessage());
    }

    void unreadableSnapshot() {
        violated("a snapshot can be read", "one was passed over");
    }

    void fenced(SimGateway gateway) {
        world.trace(() -> gateway + " is fenced");
    }

    /** A row is in the journal: decided again, its inputs give the same bytes. */
    void committed(JournalRow row, CommittedRow committed) {
        require(row.epoch() >= epoch, "epochs rise", row.epoch());
        epoch = row.epoch();
        try {
            redecide(row, committed);
            world.trace(() -> "row " + row.firstSeq() + " " + body(committed));
            committed.events().forEach(each -> ledger.fold(each.event()));
            world.receivers.committed(committed);
            truth.checkInvariants();
            ledger.compare(truth);
        } catch (InvariantBroken e) {
            violated("the core's invariants hold", String.valueOf(e.getMessage()));
        }
    }

    private static String body(CommittedRow row) {
        return row.events().stream().map(each -> each.event().toString()).toList().toString();
    }

    private void redecide(JournalRow row, CommittedRow committed) {
        JournalBody body = JournalBody.decode(row.body());
        List<EncodedEvent> written = committed.events();
        List<Event> again = truth.decide(body.inputs());
        boolean same = again.size() == written.size();
        for (int i = 0; same && i < again.size(); i++) {
            same =
                    again.get(i).type().equals(written.get(i).type())
                            && Arrays.equals(Codec.encode(again.get(i)), written.get(i).data());
        }
        require(
                same,
                "the journal's inputs give the journal's bytes",
                "row " + row.firstSeq() + ".." + row.lastSeq());
    }

    /** A leader begins with the state that the journal gives. */
    void leads(PoolFold state) {
        same("a leader begins with the journal's state", state);
    }

    void followed(PoolFold state) {
        if (state.core().seq() == comparedSeq) {
            return;
        }
        comparedSeq = state.core().seq();
        same("a follower has the journal's state", state);
    }

    private void same(String invariant, PoolFold state) {
        if (state.core().seq() == truth.seq()) {
            if (hashedSeq != truth.seq()) {
                hashedSeq = truth.seq();
                hash = truth.stateHash();
            }
            require(
                    Arrays.equals(state.core().stateHash(), hash),
                    invariant,
                    "at seq " + truth.seq());
        }
    }

    void acknowledged(JobId job) {
        acknowledged.add(job);
    }

    /** A command was really executed. */
    void processStarted(SimInstance instance, int number) {
        String start = instance.ref() + "#" + number;
        require(starts.put(start, "") == null, "no process number starts twice", start);
        for (SimInstance other : world.backend.instances()) {
            boolean twin =
                    other != instance
                            && other.running()
                            && other.ref().job().equals(instance.ref().job())
                            && other.ref().index() == instance.ref().index();
            require(!twin, "one incarnation of an instance runs", other.ref() + " and " + start);
        }
    }

    /** Null when all is at rest as it should be, otherwise what is not. */
    @Nullable String unsettled() {
        for (JobId each : acknowledged) {
            if (!ledger.ended(each) && !waitsForGood(each)) {
                JobSnapshot live = truth.job(each);
                return "an accepted job is not lost: "
                        + each
                        + (live == null
                                ? " was never journalled"
                                : " is " + live.state() + " in attempt " + live.attempt());
            }
        }
        for (JobSnapshot each : truth.snapshot().jobs()) {
            if (!waitsForGood(each.ask().job())) {
                return "every job ends: " + each.ask().job() + " is " + each.state();
            }
        }
        return world.receivers.unsettled();
    }

    private boolean waitsForGood(JobId job) {
        JobSnapshot live = truth.job(job);
        return live != null && live.reason().code() == WaitReason.Code.NEVER_FITS;
    }

    long jobs() {
        return acknowledged.size();
    }
}
