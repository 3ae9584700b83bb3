package dev.muster.executor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;

/**
 * Where the instances of one attempt meet. Chosen once and kept in a file of the attempt, so that
 * instances made later, or by a later process, agree on it.
 *
 * @param port of the first instance, {@code MASTER_PORT}
 * @param hosts one address per instance, in order of index
 */
record Rendezvous(int port, List<String> hosts) {

    private static final String NAME = "rendezvous";

    Rendezvous {
        hosts = List.copyOf(hosts);
    }

    static Optional<Rendezvous> read(Path attempt) throws IOException {
        try {
            List<String> lines = Files.readAllLines(attempt.resolve(NAME));
            return Optional.of(
                    new Rendezvous(
                            Integer.parseInt(lines.getFirst()), lines.subList(1, lines.size())));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (NumberFormatException | java.util.NoSuchElementException e) {
            throw new IOException(attempt.resolve(NAME) + " is not readable: " + e, e);
        }
    }

    void write(Path attempt) throws IOException {
        Path next = attempt.resolve(NAME + ".new");
        Files.writeString(next, port + "\n" + String.join("\n", hosts) + "\n");
        Files.move(next, attempt.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
    }
}
