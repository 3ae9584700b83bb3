package dev.muster.cli;

import dev.muster.platform.config.Settings;

import java.util.ArrayList;
import java.util.List;

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
        boolean running = runs(findings);
        List<Check> checks =
                List.of(
                        new DoctorServers(open, running),
                        new DoctorSettingsCheck(settings),
                        new DoctorLags(open, running),
                        new DoctorClocks(open, running),
                        new DoctorMachine(open.directory().path(), settings));
        for (Check each : checks) {
            try {
                each.examine(findings);
            } catch (CommandFailure e) {
                findings.add(unmade(each.getClass().getSimpleName(), e));
            }
        }
        return findings;
    }

    /** Whether anything of Muster runs on this database. */
    private boolean runs(List<Finding> findings) {
        try {
            return open.has("platform")
                    && open.rows("SELECT FROM platform.pub_service WHERE live").size() > 0;
        } catch (CommandFailure e) {
            findings.add(unmade("services", e));
            return false;
        }
    }

    private static Finding unmade(String check, CommandFailure why) {
        return Finding.wrong(
                check,
                String.valueOf(why.getMessage()),
                "an answer",
                "the check could not be made: mend what it says, then ask again");
    }
}
