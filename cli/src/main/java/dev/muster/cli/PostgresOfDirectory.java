package dev.muster.cli;

import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.embedded.EmbeddedServerException;
import dev.muster.embedded.PostgresConnection;
import dev.muster.platform.config.Settings;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.util.Optional;

/**
 * The data directory's PostgreSQL: the one that runs, or one started for as long as this is open.
 */
final class PostgresOfDirectory implements AutoCloseable {

    private static final int CONNECT_MILLIS = 2_000;

    private final PostgresConnection connection;
    private final @Nullable EmbeddedPostgres started;

    private PostgresOfDirectory(PostgresConnection connection, @Nullable EmbeddedPostgres started) {
        this.connection = connection;
        this.started = started;
    }

    static PostgresOfDirectory of(DataDirectory directory, Settings settings) {
        Optional<PostgresConnection> running =
                EmbeddedPostgres.read(directory.path()).filter(PostgresOfDirectory::listens);
        if (running.isPresent()) {
            return new PostgresOfDirectory(running.get(), null);
        }
        if (!Files.isDirectory(directory.path().resolve("postgres"))) {
            throw new CommandFailure(
                    ExitCodes.UNAVAILABLE,
                    directory.path()
                            + " is no data directory of Muster: nothing was started in it");
        }
        try {
            EmbeddedPostgres own = EmbeddedStack.postgres(directory.path(), settings);
            return new PostgresOfDirectory(own.connection(), own);
        } catch (EmbeddedServerException e) {
            throw new CommandFailure(ExitCodes.FAILED, String.valueOf(e.getMessage()));
        }
    }

    private static boolean listens(PostgresConnection to) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(to.host(), to.port()), CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    PostgresConnection connection() {
        return connection;
    }

    @Override
    public void close() {
        EmbeddedPostgres own = started;
        if (own != null) {
            own.close();
        }
    }
}
