package dev.muster.core;

import dev.muster.domain.Ask;
import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.JobId;
import dev.muster.domain.Message;
import dev.muster.domain.RecoveryResult;
import dev.muster.domain.Report;
import dev.muster.domain.RestartPolicy;
import dev.muster.domain.Scenario;
import dev.muster.domain.Spent;
import dev.muster.domain.Tier;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Keeps the books of restarts from the inputs and the events alone, by the rules as they are
 * written, and compares what the core says it has spent.
 */
final class RestartLedger {

    private static final int IN_ROW = 3;

    private static final class Account {
        final RestartPolicy policy;
        int restarts;
        int unconditionalInRow;
        int hangInRow;
        @Nullable Tier reached;
        int incidents;
        boolean open;
        boolean awaited;
        boolean vanished;
        int attempt;
        int incarnation;
        int processStart;
        final Set<String> starts = new HashSet<>();

        Account(Ask ask) {
            this.policy = ask.restart();
        }

        String counters(JobId job) {
            return job + "." + attempt + "." + incarnation + "." + processStart;
        }

        String container(JobId job) {
            return job + "." + attempt + "." + incarnation;
        }

        Spent spent() {
            return new Spent(restarts, unconditionalInRow, hangInRow);
        }
    }

    private final Map<JobId, Account> accounts = new HashMap<>();
    private final Set<String> calledEnvironment = new HashSet<>();
    private final Set<String> calledLost = new HashSet<>();
    private long restarts;

    long restarts() {
        return restarts;
    }

    /** What was said, whether the core believed it or not. */
    void said(Message message) {
        if (message instanceof Command.ReportIncident c && c.environment()) {
            calledEnvironment.add(
                    c.job() + "." + c.attempt() + "." + c.incarnation() + "." + c.processStart());
        } else if (message instanceof Report.InstanceFailed r
                && (r.cause() == FailureCause.START || r.cause() == FailureCause.INSTANCE_LOST)) {
            calledLost.add(
                    r.instance().job()
                            + "."
                            + r.instance().attempt()
                            + "."
                            + r.instance().incarnation());
        }
    }

    void fold(Event event) {
        switch (event) {
            case Event.JobSubmitted e -> accounts.put(e.job(), new Account(e.ask()));
            case Event.GangGranted e -> {
                Account account = of(e.job());
                require(e.attempt() == account.attempt + 1, "attempts have gaps", e);
                account.attempt = e.attempt();
                account.incarnation = 1;
                account.processStart = 0;
            }
            case Event.JobStarting e -> of(e.job()).processStart = e.processStart();
            case Event.InstanceStarted e -> {
                Account account = of(e.job());
                String start = account.counters(e.job()) + "#" + e.index();
                require(account.processStart == e.processStart(), "of other counters", e);
                require(account.starts.add(start), "started twice", e);
            }
            case Event.InstanceGone e -> of(e.job()).vanished = true;
            case Event.OfRecovery e -> recovery(e, of(e.job()));
            case Event.JobFinishing e -> closed(e);
            case Event.JobStopping e -> closed(e);
            case Event.JobSucceeded e -> closed(e);
            case Event.JobStopped e -> closed(e);
            case Event.JobFailed e -> {
                if (e.cause() != FailureCause.UNPUBLISHABLE) {
                    closed(e);
                }
            }
            case Event ignored -> {}
        }
    }

    private void closed(Event.OfJob event) {
        require(!of(event.job()).open, "it leaves an incident open", event);
    }

    private void recovery(Event.OfRecovery event, Account account) {
        switch (event) {
            case Event.JobHanged e ->
                    require(e.incident() == account.incidents + 1, "of no incident", e);
            case Event.IncidentOpened e -> {
                require(!account.open, "a second incident is open", e);
                require(e.incident() == account.incidents + 1, "incidents have gaps", e);
                account.incidents++;
                account.open = true;
            }
            case Event.VerdictAwaited e -> {
                require(account.open && !account.awaited, "of no incident", e);
                account.awaited = true;
                account.vanished = false;
            }
            case Event.JobRestarting e -> restarting(e, account);
            case Event.JobRestarted e -> {
                require(account.open && !account.awaited, "of no incident", e);
                require(e.tier() == account.reached, "by another tier", e);
                account.open = false;
            }
            case Event.IncidentClosed e -> {
                require(account.open, "of no incident", e);
                require(
                        e.result() != RecoveryResult.QUOTA_EXCEEDED || atAnEdge(account),
                        "no budget is used up",
                        e);
                account.open = false;
                account.awaited = false;
            }
            case Event.RecoveryReset ignored -> {
                account.unconditionalInRow = 0;
                account.hangInRow = 0;
                account.reached = null;
            }
            case Event.JobPreempted e -> closed(e);
            case Event.EvidenceKept e ->
                    require(e.incident() <= account.incidents, "of no incident", e);
        }
    }

    private static boolean atAnEdge(Account account) {
        return account.restarts == account.policy.maxRestarts()
                || account.hangInRow == IN_ROW
                || account.unconditionalInRow == IN_ROW;
    }

    private void restarting(Event.JobRestarting e, Account account) {
        require(account.open && account.policy.autoRestart(), "nobody asked for it", e);
        require(
                account.reached == null
                        || e.tier() == Tier.JOB
                        || e.tier().compareTo(account.reached) > 0,
                "the ladder is not climbed",
                e);
        if (e.scenario() == Scenario.JOB_HANGED) {
            require(account.policy.onHang(), "nobody asked for it", e);
            account.hangInRow++;
        } else if (e.spent().unconditionalInRow() > account.unconditionalInRow) {
            require(account.policy.unconditional(), "a user's error restarted", e);
            require(account.awaited, "without an exit", e);
            account.unconditionalInRow++;
            account.restarts++;
        } else {
            require(
                    !account.awaited
                            || account.vanished
                            || calledEnvironment.contains(account.counters(e.job()))
                            || calledLost.contains(account.container(e.job())),
                    "a user's error passed for another's",
                    e);
            account.restarts += e.tier() == Tier.PROCESS ? 0 : 1;
        }
        require(e.spent().equals(account.spent()), "the core counts otherwise", e);
        require(
                account.restarts <= account.policy.maxRestarts()
                        && account.hangInRow <= IN_ROW
                        && account.unconditionalInRow <= IN_ROW,
                "a budget is overdrawn",
                e);
        account.awaited = false;
        account.reached = e.tier();
        account.incarnation = e.incarnation();
        account.processStart = e.processStart();
        restarts++;
    }

    private Account of(JobId job) {
        Account account = accounts.get(job);
        if (account == null) {
            throw new AssertionError("an event of the unknown job " + job);
        }
        return account;
    }

    private static void require(boolean holds, String otherwise, Event event) {
        if (!holds) {
            throw new AssertionError(otherwise + ": " + event);
        }
    }
}
