package dev.muster.bench;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** What runs as a process of its own, by the name that {@code muster run} knows it by. */
enum KillPart {
    POSTGRES,
    KAFKA,
    SCHEDULER,
    EXECUTOR,
    MONITOR,
    GATEWAY,
    NOTIFIER;

    /** Steps that no process of this machine takes, and why. */
    private static final Set<String> NEVER_HERE =
            Set.of(
                    // without namespaces of processes alone
                    "agent.cleared",
                    // asked for by no local backend: retention deletes whole attempts
                    "agent.removed");

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isServer() {
        return this == POSTGRES || this == KAFKA;
    }

    /** Those of the declared failpoints that can be reached here. */
    static List<String> reachable(List<String> declared) {
        return declared.stream().filter(each -> !NEVER_HERE.contains(each)).toList();
    }

    /** Whose process comes to a failpoint: the first word says it. */
    static List<KillPart> reaching(String failpoint) {
        String owner = failpoint.substring(0, failpoint.indexOf('.'));
        return switch (owner) {
            case "platform" -> List.of(GATEWAY, EXECUTOR, MONITOR);
            case "agent" -> List.of(EXECUTOR);
            default ->
                    Stream.of(values())
                            .filter(part -> part.word().equals(owner))
                            .findFirst()
                            .map(List::of)
                            .orElseThrow(() -> new BenchFailed("whose is " + failpoint + "?"));
        };
    }
}
