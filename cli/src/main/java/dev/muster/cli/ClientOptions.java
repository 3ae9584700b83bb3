package dev.muster.cli;

import picocli.CommandLine.Option;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** How a client command finds Muster. */
final class ClientOptions {

    @Option(
            names = "--url",
            paramLabel = "URL",
            description =
                    "Address of the gateway (default: $MUSTER_URL, or what `muster up` wrote).")
    private Optional<URI> url = Optional.empty();

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "File with the bearer token (default: $MUSTER_TOKEN, or the data directory's).")
    private Optional<Path> tokenFile = Optional.empty();

    @Option(
            names = "--data-dir",
            paramLabel = "DIR",
            description = "Data directory (default: $MUSTER_DATA_DIR or ~/.muster).")
    private Optional<Path> dataDirectory = Optional.empty();

    ApiClient connect() {
        DataDirectory directory = DataDirectory.of(dataDirectory);
        return new ApiClient(address(directory), token(directory));
    }

    private URI address(DataDirectory directory) {
        return url.or(() -> environment("MUSTER_URL").map(URI::create))
                .or(() -> DataDirectory.line(directory.urlFile()).map(URI::create))
                .orElseThrow(() ->
                        new CommandFailure(
                                ExitCodes.UNAVAILABLE,
                                "no Muster is running on "
                                        + directory.path()
                                        + ": start one with `muster up`, or name one with"
                                        + " --url"));
    }

    private String token(DataDirectory directory) {
        if (tokenFile.isPresent()) {
            return DataDirectory.line(tokenFile.get())
                    .orElseThrow(() ->
                            new CommandFailure(
                                    ExitCodes.USAGE,
                                    "the token file " + tokenFile.get() + " cannot be read"));
        }
        return environment("MUSTER_TOKEN")
                .or(() -> DataDirectory.line(directory.tokenFile()))
                .orElseThrow(() ->
                        new CommandFailure(
                                ExitCodes.USAGE,
                                "no token: set MUSTER_TOKEN, or name a file with"
                                        + " --token-file"));
    }

    private static Optional<String> environment(String name) {
        return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
    }
}
