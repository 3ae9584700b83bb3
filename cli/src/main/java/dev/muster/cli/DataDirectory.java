package dev.muster.cli;

import dev.muster.platform.http.Tokens;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where Muster keeps what survives a restart: {@code --data-dir}, {@code MUSTER_DATA_DIR} or {@code
 * ~/.muster}. Holds {@code url} (of the gateway that serves now), {@code token} and {@code
 * service-token}.
 */
record DataDirectory(Path path) {

    static DataDirectory of(Optional<Path> option) {
        return new DataDirectory(
                option.or(() -> variable("MUSTER_DATA_DIR"))
                        .orElseGet(() -> Path.of(System.getProperty("user.home"), ".muster"))
                        .toAbsolutePath()
                        .normalize());
    }

    private static Optional<Path> variable(String name) {
        return Optional.ofNullable(System.getenv(name)).filter(v -> !v.isBlank()).map(Path::of);
    }

    /**
     * Makes the directory, readable by its owner alone, and brings it to this version's format.
     *
     * @throws CommandFailure with one sentence if it cannot be written to, or is of a newer Muster
     */
    void prepare() {
        try {
            PrivateFiles.directory(path);
            Path probe = Files.createTempFile(path, ".probe", "");
            Files.delete(probe);
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCodes.FAILED,
                    "the data directory " + path + " cannot be written to: " + PrivateFiles.why(e));
        }
        DataFormat.open(path);
    }

    /**
     * For who only looks: makes nothing.
     *
     * @throws CommandFailure with one sentence if it is not there, is no data directory of Muster,
     *     or is of a newer Muster
     */
    void refuseOther() {
        if (!Files.isDirectory(path)) {
            throw new CommandFailure(
                    ExitCodes.UNAVAILABLE,
                    "there is no directory " + path + ": see --data-dir and MUSTER_DATA_DIR");
        }
        DataFormat.check(path);
        if (!Files.exists(path.resolve(DataFormat.FILE))
                && !Files.isDirectory(path.resolve("postgres"))) {
            throw new CommandFailure(
                    ExitCodes.UNAVAILABLE,
                    path + " is no data directory of Muster: nothing was started in it");
        }
    }

    Path settingsFile() {
        return path.resolve("muster.yaml");
    }

    Path urlFile() {
        return path.resolve("url");
    }

    Path tokenFile() {
        return path.resolve(Tokens.API_FILE);
    }

    /** The folder that {@code obs://} is on this machine. */
    Path store() {
        return path.resolve("store");
    }

    /** What the demos' receivers of webhooks were told, a file each. */
    Path deliveries() {
        return path.resolve("demo-deliveries");
    }

    static Optional<String> line(Path file) {
        try {
            return Optional.of(Files.readString(file).strip()).filter(text -> !text.isEmpty());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
