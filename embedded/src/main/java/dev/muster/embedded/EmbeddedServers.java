package dev.muster.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** What concerns the servers of a data directory together. */
public final class EmbeddedServers {
    private static final int DELETE_ATTEMPTS = 20;
    private static final long DELETE_PAUSE_NANOS = 100_000_000;

    private EmbeddedServers() {}

    /**
     * Ends what a killed process left running and deletes the data directory with all data.
     *
     * @return false, and nothing is done, when a living process uses the directory
     */
    public static boolean discard(Path dataDirectory) {
        List<DirectoryLock> locks = new ArrayList<>();
        try {
            for (String server : List.of(EmbeddedPostgres.SERVER, EmbeddedKafka.SERVER)) {
                Path own = ServerDirectory.of(dataDirectory, server).own();
                if (Files.isDirectory(own)) {
                    locks.add(DirectoryLock.take(own));
                }
            }
            delete(EmbeddedPostgres.endLeftover(dataDirectory));
            delete(dataDirectory);
            return true;
        } catch (DirectoryLock.Held _) {
            return false;
        } catch (IOException e) {
            throw Sentences.unwritable(dataDirectory, e);
        } finally {
            locks.forEach(DirectoryLock::close);
        }
    }

    // A process that is about to end may still write a last file.
    private static void delete(Path dataDirectory) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                ServerDirectory.deleteAll(dataDirectory);
                return;
            } catch (IOException e) {
                if (attempt == DELETE_ATTEMPTS) {
                    throw e;
                }
                LockSupport.parkNanos(DELETE_PAUSE_NANOS);
            }
        }
    }
}
