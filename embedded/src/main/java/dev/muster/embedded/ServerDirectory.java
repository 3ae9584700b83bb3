package dev.muster.embedded;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The part of a data directory that one server owns: {@code <data directory>/<server>} with its
 * lock, password and port, and {@code <data directory>/<server>.properties}, from which other
 * processes learn how to connect.
 */
final class ServerDirectory {
    static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> SECRET =
            PosixFilePermissions.fromString("rw-------");
    private static final int PASSWORD_BYTES = 24;

    private final Path dataDirectory;
    private final String server;
    private final Path own;

    private ServerDirectory(Path dataDirectory, String server) {
        this.dataDirectory = dataDirectory;
        this.server = server;
        this.own = dataDirectory.resolve(server);
    }

    static ServerDirectory of(Path dataDirectory, String server) {
        return new ServerDirectory(dataDirectory.toAbsolutePath().normalize(), server);
    }

    /** Makes what is missing, for the owner only. */
    void prepare() {
        try {
            createPrivate(dataDirectory);
            createPrivate(own);
            Files.setPosixFilePermissions(own, OWNER_ONLY);
        } catch (IOException e) {
            throw Sentences.unwritable(dataDirectory, e);
        }
    }

    private static void createPrivate(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        Path parent = directory.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        try {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory)) {
                throw e;
            }
        }
    }

    Path dataDirectory() {
        return dataDirectory;
    }

    Path own() {
        return own;
    }

    /** The password kept in this directory, made on the first call. */
    String password() {
        return read("password").orElseGet(this::newPassword);
    }

    private String newPassword() {
        byte[] random = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(random);
        String password = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        write(own.resolve("password"), password);
        return password;
    }

    /** The port configured, or else the one kept here, or else a free one, which is then kept. */
    int port(String name, OptionalInt configured) {
        if (configured.isPresent()) {
            int port = configured.getAsInt();
            if (!LoopbackPorts.isFree(port)) {
                throw Sentences.portInUse(server, port);
            }
            return port;
        }
        Optional<Integer> kept = read(name).map(Integer::valueOf).filter(LoopbackPorts::isFree);
        return kept.orElseGet(() -> newPort(name));
    }

    /** Chooses another port and keeps it. */
    int newPort(String name) {
        int port = LoopbackPorts.free();
        write(own.resolve(name), Integer.toString(port));
        return port;
    }

    Optional<String> read(String name) {
        return read(own.resolve(name));
    }

    private static Optional<String> read(Path file) {
        try {
            String content = Files.readString(file).strip();
            return content.isEmpty() ? Optional.empty() : Optional.of(content);
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (IOException e) {
            throw new EmbeddedServerException("The file " + file + " cannot be read.", e);
        }
    }

    void writeConnection(Properties connection) {
        StringWriter text = new StringWriter();
        try {
            connection.store(text, null);
        } catch (IOException e) {
            throw Sentences.unwritable(dataDirectory, e);
        }
        write(connectionFile(), text.toString());
    }

    Optional<Properties> readConnection() {
        return read(connectionFile())
                .map(text -> {
                    Properties properties = new Properties();
                    try {
                        properties.load(new StringReader(text));
                    } catch (IOException | IllegalArgumentException e) {
                        throw new EmbeddedServerException(
                                "The file " + connectionFile() + " is not a properties file.", e);
                    }
                    return properties;
                });
    }

    void deleteConnection() {
        try {
            Files.deleteIfExists(connectionFile());
        } catch (IOException e) {
            throw Sentences.unwritable(dataDirectory, e);
        }
    }

    private Path connectionFile() {
        return dataDirectory.resolve(server + ".properties");
    }

    /**
     * Replaces a file at once and for good: a reader or a crash sees the old content or the new.
     */
    private void write(Path file, String content) {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        try {
            Files.deleteIfExists(next);
            Files.createFile(next, PosixFilePermissions.asFileAttribute(SECRET));
            try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = StandardCharsets.UTF_8.encode(content);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(
                    next,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw Sentences.unwritable(dataDirectory, e);
        }
    }

    /** Deletes a file or a directory with all that is in it, if it exists. */
    static void deleteAll(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> walk = Files.walk(path)) {
            for (Path each : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        }
    }
}
