package dev.muster.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Finds the living processes of one instance on the machine. */
final class InstanceProcesses {

    private final Path control;
    private final String log;
    private final String mark;
    private final Optional<SupervisorIdentity> supervisor;

    InstanceProcesses(InstancePlan plan, Optional<SupervisorIdentity> supervisor) {
        this.control = plan.directories().control();
        this.log = plan.directories().log(plan.id()).toString();
        this.mark = "MUSTER_INSTANCE=" + plan.id() + ".";
        this.supervisor = supervisor;
    }

    /** Everything, the supervisor and what holds its namespace included. */
    List<ProcessTable.Entry> all() throws IOException {
        List<ProcessTable.Entry> living = ProcessTable.living();
        Set<Long> found = find(living, supervisors(living));
        return living.stream().filter(entry -> found.contains(entry.pid())).toList();
    }

    /** What the command started: all but the supervisor and its listener. */
    List<ProcessTable.Entry> ofCommand() throws IOException {
        // one look for both, or a new listener would be taken for the command's
        List<ProcessTable.Entry> living = ProcessTable.living();
        Set<Long> own = supervisors(living);
        Set<Long> found = find(living, own);
        if (isTree()) {
            // the command's first process looks like the supervisor until its exec
            own = new HashSet<>(List.of(supervisor.orElseThrow().pid()));
            listener().ifPresent(own::add);
        }
        found.removeAll(own);
        return living.stream().filter(entry -> found.contains(entry.pid())).toList();
    }

    private Set<Long> find(List<ProcessTable.Entry> living, Set<Long> supervisors) {
        Set<Long> found = new HashSet<>(supervisors);
        if (isTree()) {
            addTree(living, found);
        } else {
            addNamespaces(living, found);
        }
        return found;
    }

    private boolean isTree() {
        return supervisor.isPresent() && !supervisor.get().hasNamespace();
    }

    private OptionalLong listener() throws IOException {
        Optional<String> text = ControlFiles.read(control, "listener");
        return text.isPresent() && text.get().endsWith("\n")
                ? OptionalLong.of(Long.parseLong(text.get().strip()))
                : OptionalLong.empty();
    }

    /** By their command line: also those whose parent, or whose claim, was lost. */
    private Set<Long> supervisors(List<ProcessTable.Entry> living) {
        String script = "sh\0" + control.resolve(SupervisorControl.SCRIPT) + "\0";
        Set<Long> found = new HashSet<>();
        for (ProcessTable.Entry entry : living) {
            String line = ProcessTable.commandLine(entry.pid()).orElse("");
            if (line.startsWith(script) || line.contains("\0" + script)) {
                found.add(entry.pid());
            }
        }
        return found;
    }

    private static void addNamespaces(List<ProcessTable.Entry> living, Set<Long> found) {
        Optional<String> own = ProcessTable.namespace(ProcessHandle.current().pid());
        Set<String> namespaces = new HashSet<>();
        for (long pid : found) {
            ProcessTable.namespace(pid)
                    .filter(ns -> !Optional.of(ns).equals(own))
                    .ifPresent(namespaces::add);
        }
        if (namespaces.isEmpty()) {
            return;
        }
        for (ProcessTable.Entry entry : living) {
            if (ProcessTable.namespace(entry.pid()).filter(namespaces::contains).isPresent()) {
                found.add(entry.pid());
            }
        }
    }

    /** Mark, session, log and descent; each reaches what another misses. */
    private void addTree(List<ProcessTable.Entry> living, Set<Long> found) {
        long session = supervisor.map(SupervisorIdentity::pid).orElse(-1L);
        for (ProcessTable.Entry entry : living) {
            if (entry.session() == session || isMarked(entry.pid()) || printsToLog(entry.pid())) {
                found.add(entry.pid());
            }
        }
        List<ProcessTable.Entry> rest = new ArrayList<>(living);
        boolean more = true;
        while (more) { // one generation a round
            more = rest.removeIf(e -> found.contains(e.parent()) && found.add(e.pid()));
        }
    }

    private boolean isMarked(long pid) {
        String environment = ProcessTable.environment(pid).orElse("");
        return environment.startsWith(mark) || environment.contains("\0" + mark);
    }

    private boolean printsToLog(long pid) {
        return ProcessTable.openFile(pid, 1).filter(log::equals).isPresent()
                || ProcessTable.openFile(pid, 2).filter(log::equals).isPresent();
    }
}
