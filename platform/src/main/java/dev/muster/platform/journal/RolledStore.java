package dev.muster.platform.journal;

import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.storage.FileObjectStore;
import dev.muster.storage.ObjectInfo;
import dev.muster.storage.ObjectLocation;
import dev.muster.storage.ObjectStore;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The objects that hold what the journal in PostgreSQL no longer has. They lie in a store of their
 * own, out of reach of jobs; each name has the digest of its content, so no object is ever replaced
 * by another one. Blocks.
 */
public final class RolledStore {

    /** Of the data directory, where no other folder is configured. */
    public static final String FOLDER = "journal";

    private static final String BUCKET = "muster-journal";
    private static final int DIGEST_IN_NAME = 16;

    /**
     * What an object is called and must hold.
     *
     * @param sha256 in hexadecimal
     */
    public record Stored(String object, int bytes, String sha256) {}

    private final @Nullable Path folder;
    private @Nullable ObjectStore opened;

    private RolledStore(@Nullable Path folder) {
        this.folder = folder;
    }

    public static RolledStore of(Settings settings) {
        return new RolledStore(folder(settings).orElse(null));
    }

    /** Where the objects lie, empty where neither a folder nor a data directory is configured. */
    public static Optional<Path> folder(Settings settings) {
        String configured = settings.get(PlatformSettings.JOURNAL_STORE);
        if (!configured.isEmpty()) {
            return Optional.of(Path.of(configured).toAbsolutePath().normalize());
        }
        return Optional.of(settings.get(PlatformSettings.DATA_DIR))
                .filter(data -> !data.isEmpty())
                .map(data -> Path.of(data).toAbsolutePath().normalize().resolve(FOLDER));
    }

    /**
     * Writes an object and reads it back. It is on the disk when this returns; the same content
     * under the same name may be written any number of times.
     *
     * @param name of folders and a file, without what depends on the content
     * @param ending such as {@code .zst}
     * @throws IOException saying which object, if it cannot be written or reads back otherwise
     */
    public Stored write(String name, String ending, byte[] content) throws IOException {
        String digest = sha256(content);
        Stored stored =
                new Stored(
                        name + "-" + digest.substring(0, DIGEST_IN_NAME) + ending,
                        content.length,
                        digest);
        Path root = folder;
        if (root == null) {
            throw new IOException("neither journal.store nor data.dir is set");
        }
        Files.createDirectories(root);
        store().write(location(stored), new ByteArrayInputStream(content), content.length);
        read(stored);
        return stored;
    }

    /**
     * @throws RolledUnreadable naming the object, if it is not there or holds something else
     */
    public byte[] read(Stored stored) {
        byte[] content;
        try (InputStream in = store().read(location(stored), 0)) {
            content = in.readNBytes(stored.bytes() + 1);
        } catch (IOException e) {
            throw unreadable(stored, "cannot be read: " + e.getMessage(), e);
        }
        if (content.length != stored.bytes() || !sha256(content).equals(stored.sha256())) {
            throw unreadable(
                    stored,
                    "is damaged: it has "
                            + (content.length > stored.bytes() ? "more than " : "")
                            + Math.min(content.length, stored.bytes())
                            + " bytes of digest "
                            + sha256(content)
                            + ", and "
                            + stored.bytes()
                            + " of digest "
                            + stored.sha256()
                            + " were written",
                    null);
        }
        return content;
    }

    /** One sentence if an object is not there with its size; what it holds is not looked at. */
    public Optional<String> problem(Stored stored) {
        try {
            long bytes = store().head(location(stored)).map(ObjectInfo::size).orElse(-1L);
            return bytes == stored.bytes()
                    ? Optional.empty()
                    : Optional.of(
                            bytes < 0
                                    ? stored.object() + " is not in " + folder
                                    : stored.object()
                                            + " has "
                                            + bytes
                                            + " bytes instead of "
                                            + stored.bytes());
        } catch (IOException e) {
            return Optional.of(stored.object() + " cannot be read: " + e.getMessage());
        }
    }

    private RolledUnreadable unreadable(Stored stored, String what, @Nullable Throwable cause) {
        return new RolledUnreadable(
                "the part "
                        + stored.object()
                        + " of the rolled journal in "
                        + folder
                        + " "
                        + what
                        + ": bring it back from a backup",
                cause);
    }

    private synchronized ObjectStore store() throws IOException {
        ObjectStore known = opened;
        if (known != null) {
            return known;
        }
        Path root = folder;
        if (root == null) {
            throw new IOException("neither journal.store nor data.dir is set");
        }
        if (!Files.isDirectory(root)) {
            throw new IOException("there is no folder " + root + "; see journal.store");
        }
        ObjectStore fresh = new FileObjectStore(root);
        opened = fresh;
        return fresh;
    }

    private static ObjectLocation location(Stored stored) {
        return new ObjectLocation("obs", BUCKET, stored.object());
    }

    private static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
