package dev.muster.simulation;

import dev.muster.core.NodeUsage;
import dev.muster.core.PoolCore;
import dev.muster.domain.Ask;
import dev.muster.domain.Event;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.NodeId;
import dev.muster.domain.NodeShape;
import dev.muster.domain.Placement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Keeps the books of grants from the facts alone, and compares facts with what really is. */
final class Ledger {

    private static final class Account {
        final Ask ask;
        int attempt;
        List<Placement> grant = List.of();
        boolean ended;

        Account(Ask ask) {
            this.ask = ask;
        }
    }

    private static final class Use {
        int cpuMillis;
        int memory;
        int instances;
        final int[] devices = new int[64];
    }

    private final Oracle oracle;
    private final SimBackend backend;
    private final Map<JobId, Account> accounts = new HashMap<>();
    private final Map<NodeId, Use> uses = new HashMap<>();
    private final Map<NodeId, NodeShape> shapes = new HashMap<>();
    private final Set<String> started = new HashSet<>();

    Ledger(Oracle oracle, SimBackend backend) {
        this.oracle = oracle;
        this.backend = backend;
        for (int number = 0; number < World.NODES; number++) {
            shapes.put(SimBackend.node(number), SimBackend.shape(number));
            uses.put(SimBackend.node(number), new Use());
        }
    }

    boolean ended(JobId job) {
        Account account = accounts.get(job);
        return account != null && account.ended;
    }

    void fold(Event event) {
        if (!(event instanceof Event.OfJob e)) {
            return;
        }
        if (e instanceof Event.JobSubmitted submitted) {
            boolean fresh = accounts.put(e.job(), new Account(submitted.ask())) == null;
            oracle.require(fresh, "a job is submitted once", e);
            return;
        }
        Account account = accounts.get(e.job());
        if (account == null) {
            oracle.violated("facts are of submitted jobs", e.toString());
            return;
        }
        oracle.require(!account.ended, "terminal states are absorbing", e);
        fold(account, e);
    }

    private void fold(Account account, Event.OfJob event) {
        switch (event) {
            case Event.GangGranted e -> granted(account, e);
            case Event.InstanceStarted e -> {
                InstanceRef ref = new InstanceRef(e.job(), e.attempt(), e.index(), e.incarnation());
                SimInstance real = backend.find(ref);
                oracle.require(e.attempt() == account.attempt, "attempts are the live one", e);
                oracle.require(
                        started.add(ref + "#" + e.processStart()), "a start is told once", e);
                oracle.require(
                        real != null && real.wasStarted(e.processStart()),
                        "what is told has happened",
                        e);
            }
            case Event.InstanceExited e -> {
                SimInstance real =
                        backend.find(
                                new InstanceRef(e.job(), e.attempt(), e.index(), e.incarnation()));
                oracle.require(
                        real != null && real.exitedWith(e.processStart(), e.exitCode()),
                        "what is told has happened",
                        e);
            }
            case Event.InstanceGone e -> {
                SimInstance real =
                        backend.find(
                                new InstanceRef(e.job(), e.attempt(), e.index(), e.incarnation()));
                oracle.require(real == null || real.gone(), "nothing is told gone before it is", e);
            }
            case Event.GangReleased e -> released(account, e);
            case Event.JobSucceeded _, Event.JobFailed _, Event.JobStopped _ -> {
                oracle.require(account.grant.isEmpty(), "what ends holds no grant", event);
                account.ended = true;
            }
            case Event.OfJob _ -> {} // the others move no claim
        }
    }

    private void granted(Account account, Event.GangGranted e) {
        oracle.require(account.grant.isEmpty(), "one live attempt per job", e);
        oracle.require(e.attempt() == account.attempt + 1, "attempts have no gaps", e);
        Set<Integer> indexes = new HashSet<>();
        e.placements().forEach(each -> indexes.add(each.index()));
        oracle.require(
                indexes.size() == account.ask.instances()
                        && e.placements().size() == account.ask.instances(),
                "a gang is never partial",
                e);
        account.attempt = e.attempt();
        account.grant = e.placements();
        use(account, 1);
        for (Map.Entry<NodeId, Use> each : uses.entrySet()) {
            NodeShape shape = shapes.get(each.getKey());
            Use used = each.getValue();
            boolean fits =
                    shape != null
                            && used.cpuMillis <= shape.cpuMillis()
                            && used.memory <= shape.memoryMebibytes();
            for (int device = 0; device < used.devices.length; device++) {
                int room = shape != null && device < shape.devices() ? 1000 : 0;
                fits &= used.devices[device] <= room;
            }
            oracle.require(fits, "a node gives no more than it has", each.getKey() + ": " + e);
        }
    }

    private void use(Account account, int sign) {
        int share = account.ask.perInstance().acceleratorThousandths();
        for (Placement each : account.grant) {
            Use use = uses.computeIfAbsent(each.node(), _ -> new Use());
            use.instances += sign;
            use.cpuMillis += sign * account.ask.perInstance().cpuMillis();
            use.memory += sign * account.ask.perInstance().memoryMebibytes();
            for (int device : each.devices()) {
                use.devices[device] += sign * Math.min(1000, share);
            }
        }
    }

    private void released(Account account, Event.GangReleased e) {
        for (SimInstance each : backend.instances()) {
            boolean lives =
                    !each.gone()
                            && each.ref().job().equals(e.job())
                            && each.ref().attempt() == e.attempt();
            oracle.require(!lives, "nothing is released before it is gone", each.ref());
        }
        use(account, -1);
        account.grant = List.of();
    }

    /** Usage is the sum of live grants. */
    void compare(PoolCore core) {
        core.forEachNode(node -> {
            Use use = uses.getOrDefault(node.node().node(), new Use());
            oracle.require(same(use, node), "usage is that of the live grants", node.node().node());
        });
    }

    private static boolean same(Use use, NodeUsage node) {
        List<Integer> devices = new ArrayList<>();
        for (int i = 0; i < node.deviceThousandthsUsed().size(); i++) {
            devices.add(use.devices[i]);
        }
        return use.instances == node.instances()
                && use.cpuMillis == node.cpuMillisUsed()
                && use.memory == node.memoryMebibytesUsed()
                && devices.equals(node.deviceThousandthsUsed());
    }
}
