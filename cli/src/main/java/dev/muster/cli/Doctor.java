package dev.muster.cli;

import dev.muster.platform.config.Settings;

import io.vertx.sqlclient.Row;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Makes all checks of {@code muster doctor}; one that cannot be made does not keep others back. */
final class Doctor {

    /** Checks that belong together. */
    @FunctionalInterface
    interface Check {
        void examine(List<Finding> findings);
    }

    private final OpenDirectory open;

    Doctor(OpenDirectory open) {
        this.open = open;
    }

    List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        Settings settings = open.settings();
        boolean running = attempt(findings, "services", this::runs, false);
        List<Check> checks =
                List.of(
                        new DoctorServers(open, running),
                        new DoctorSettingsCheck(settings),
                        new DoctorLags(open, running),
                        new DoctorClocks(open, running),
                        new DoctorMachine(open.directory().path(), settings));
        for (Check each : checks) {
            attempt(
                    findings,
                    each.getClass().getSimpleName(),
                    () -> {
                        each.examine(findings);
                        return true;
                    },
                    false);
        }
        return findings;
    }

    /** Whether anything of Muster runs on this database. */
    private boolean runs() {
        if (!open.has("platform")) {
            return false;
        }
        for (Row row : open.rows("SELECT count(*) AS n FROM platform.pub_service WHERE live")) {
            return row.getLong("n") > 0;
        }
        return false;
    }

    private static <T> T attempt(
            List<Finding> findings, String check, Supplier<T> work, T otherwise) {
        try {
            return work.get();
        } catch (CommandFailure e) {
            findings.add(
                    Finding.wrong(
                            check,
                            String.valueOf(e.getMessage()),
                            "an answer",
                            "the check could not be made: mend what it says, then ask again"));
            return otherwise;
        }
    }
}
