package dev.muster.cli;

import dev.muster.platform.config.InvalidSettings;
import dev.muster.platform.config.Settings;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** How a command that runs services finds its data directory and settings. */
final class ServerOptions {

    @Option(
            names = "--data-dir",
            paramLabel = "DIR",
            description = "Data directory (default: $MUSTER_DATA_DIR or ~/.muster).")
    private Optional<Path> dataDirectory = Optional.empty();

    @Option(
            names = {"-c", "--config"},
            paramLabel = "KEY=VALUE",
            description =
                    "A setting, before those of the environment and of muster.yaml in the data"
                            + " directory; may be repeated.")
    private Map<String, String> overrides = new TreeMap<>();

    DataDirectory directory() {
        return DataDirectory.of(dataDirectory);
    }

    /** Settings as the user gave them, all problems at once. */
    Settings settings() {
        DataDirectory directory = directory();
        Map<String, String> all = new TreeMap<>(overrides);
        all.put("data.dir", directory.path().toString());
        try {
            return Settings.load(directory.settingsFile(), System.getenv(), all);
        } catch (InvalidSettings e) {
            throw new CommandFailure(
                    ExitCodes.USAGE,
                    e.problems().size() == 1
                            ? e.problems().getFirst()
                            : "the settings cannot be used:\n  "
                                    + String.join("\n  ", e.problems()));
        }
    }
}
