package dev.muster.embedded;

import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** PostgreSQL's programs, unpacked once for each version from the archive on the class path. */
final class PostgresBinaries {
    private static final String UNFINISHED = ".unpack-";
    private static final Duration ABANDONED = Duration.ofMinutes(10);

    private static final Duration SYNC_LIMIT = Duration.ofMinutes(1);

    private PostgresBinaries() {}

    /**
     * The directory with {@code bin}, {@code lib} and {@code share}. Safe when several processes
     * unpack at once: each does it aside, and the first to rename wins.
     */
    static Path unpackedIn(Path cache) {
        String archive = "postgres-linux-" + architecture() + ".txz";
        URL url = PostgresBinaries.class.getClassLoader().getResource(archive);
        if (url == null) {
            throw new EmbeddedServerException(
                    "No PostgreSQL for this machine ("
                            + System.getProperty("os.name")
                            + ", "
                            + System.getProperty("os.arch")
                            + ") is on the class path, "
                            + archive
                            + " is missing: configure the address of a running PostgreSQL.");
        }
        try {
            Path target = cache.resolve(nameOf(archive, url));
            if (!Files.isDirectory(target)) {
                Files.createDirectories(cache);
                sweep(cache);
                unpack(url, cache, target);
            }
            return target;
        } catch (IOException e) {
            throw Sentences.unwritable(cache, e);
        }
    }

    private static String architecture() {
        return switch (System.getProperty("os.arch").toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "arm_64";
            case String other -> other;
        };
    }

    // The checksum that the jar keeps of the archive: another version is another directory.
    private static String nameOf(String archive, URL url) throws IOException {
        URLConnection connection = url.openConnection();
        connection.setUseCaches(false);
        if (connection instanceof JarURLConnection jar) {
            try (var file = jar.getJarFile()) {
                long crc = file.getJarEntry(jar.getEntryName()).getCrc();
                return archive.replace(".txz", "-") + Long.toHexString(crc);
            }
        }
        return archive.replace(".txz", "-") + connection.getContentLengthLong();
    }

    private static void unpack(URL url, Path cache, Path target) throws IOException {
        Path aside = Files.createTempDirectory(cache, UNFINISHED);
        try {
            try (InputStream raw = url.openStream();
                    TarArchiveInputStream tar =
                            new TarArchiveInputStream(new XZCompressorInputStream(raw))) {
                for (TarArchiveEntry entry = tar.getNextEntry();
                        entry != null;
                        entry = tar.getNextEntry()) {
                    extract(tar, entry, aside);
                }
            }
            // The rename must not become durable before what is renamed.
            Command.run(List.of("sync", "-f", aside.toString()), "", SYNC_LIMIT);
            Files.setPosixFilePermissions(aside, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.move(aside, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            throw e;
        } catch (FileSystemException e) {
            if (!Files.isDirectory(target)) {
                throw e;
            }
        } finally {
            ServerDirectory.deleteAll(aside);
        }
    }

    private static void extract(TarArchiveInputStream tar, TarArchiveEntry entry, Path root)
            throws IOException {
        Path path = inside(root, root.resolve(entry.getName()), entry);
        if (entry.isDirectory()) {
            Files.createDirectories(path);
            return;
        }
        Files.createDirectories(path.resolveSibling("").normalize());
        if (entry.isSymbolicLink()) {
            inside(root, path.resolveSibling(entry.getLinkName()), entry);
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
            return;
        }
        Files.copy(tar, path);
        boolean executable = (entry.getMode() & 0100) != 0;
        Files.setPosixFilePermissions(
                path, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
    }

    private static Path inside(Path root, Path path, TarArchiveEntry entry) throws IOException {
        Path normal = path.normalize();
        if (!normal.startsWith(root)) {
            throw new IOException("archive entry " + entry.getName() + " leaves its directory");
        }
        return normal;
    }

    // What a killed process left.
    private static void sweep(Path cache) throws IOException {
        Instant limit = Instant.now().minus(ABANDONED);
        try (Stream<Path> entries = Files.list(cache)) {
            for (Path entry :
                    entries.filter(e -> e.getFileName().toString().startsWith(UNFINISHED))
                            .toList()) {
                if (Files.getLastModifiedTime(entry).toInstant().isBefore(limit)) {
                    ServerDirectory.deleteAll(entry);
                }
            }
        }
    }
}
