package dev.muster.storage;

import dev.muster.storage.ObjectStoreException.Reason;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Objects as files: {@code scheme://bucket/key} is {@code root/bucket/key}, whatever the scheme. A
 * bucket comes into being with its first object.
 *
 * <p>Symbolic links below the root are not followed: they are absent from listings and refused
 * otherwise, so no key leads out of the root. Unlike in a bucket, an object cannot lie at a key
 * that is also a folder of others.
 */
public final class FileObjectStore implements ObjectStore {

    /** Not a bucket's name: those begin with a letter or digit. */
    private static final String UPLOADS = ".uploads";

    private static final int BUFFER_BYTES = 256 * 1024;

    private final Path root;
    private final Path uploads;

    /**
     * @param root made if absent
     */
    public FileObjectStore(Path root) throws IOException {
        this.root = Files.createDirectories(root).toRealPath();
        this.uploads = Files.createDirectories(this.root.resolve(UPLOADS));
    }

    @Override
    public ObjectPage list(ObjectLocation prefix, String after, int limit) throws IOException {
        if (limit < 1 || limit > MAX_PAGE) {
            throw new IllegalArgumentException("a page holds 1 to " + MAX_PAGE + ", not " + limit);
        }
        try {
            return new FileListing(root.resolve(prefix.bucket()), prefix, after, limit).page();
        } catch (IOException e) {
            throw failure("cannot be listed", prefix, e);
        }
    }

    @Override
    public Optional<ObjectInfo> head(ObjectLocation object) throws IOException {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(
                            fileOf(object), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return attributes.isRegularFile()
                    ? Optional.of(info(object, attributes))
                    : Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (FileSystemException e) {
            // an element of the path is a file: nothing can lie below it
            if (isBelowAFile(object)) {
                return Optional.empty();
            }
            throw failure("cannot be read", object, e);
        }
    }

    @Override
    public InputStream read(ObjectLocation object, long offset) throws IOException {
        try {
            SeekableByteChannel channel =
                    Files.newByteChannel(
                            regularFile(object),
                            Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
            return Channels.newInputStream(channel.position(offset));
        } catch (IOException e) {
            throw failure("cannot be read", object, e);
        }
    }

    @Override
    public ObjectInfo write(ObjectLocation object, InputStream data, long size) throws IOException {
        Path target = fileOf(object);
        Path upload = uploads.resolve(UUID.randomUUID().toString());
        try {
            fill(upload, object, data, size);
            makeDirectories(parentOf(target));
            fileOf(object); // a link may have come in between
            Files.move(
                    upload,
                    target,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            forceDirectory(parentOf(target));
            return info(object, Files.readAttributes(target, BasicFileAttributes.class));
        } catch (FileSystemException e) {
            throw failure("cannot be written", object, e);
        } finally {
            Files.deleteIfExists(upload);
        }
    }

    private static void fill(Path upload, ObjectLocation object, InputStream data, long size)
            throws IOException {
        try (FileChannel out =
                FileChannel.open(upload, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            byte[] buffer = new byte[Math.clamp(size, 1, BUFFER_BYTES)];
            long written = 0;
            for (int n = data.read(buffer); n >= 0; n = data.read(buffer)) {
                ByteBuffer chunk = ByteBuffer.wrap(buffer, 0, n);
                while (chunk.hasRemaining()) {
                    written += out.write(chunk);
                }
            }
            if (written != size) {
                throw new ObjectStoreException(
                        Reason.INVALID,
                        object + " was announced with " + size + " bytes, but has " + written);
            }
            out.force(true);
        }
    }

    /** On the disk too: an object whose folder is lost with the power is lost with it. */
    private static void makeDirectories(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        makeDirectories(parentOf(directory));
        Files.createDirectories(directory);
        forceDirectory(parentOf(directory));
    }

    private static void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /**
     * The file of an object, none of whose elements below the root is a symbolic link.
     *
     * @throws ObjectStoreException if one is, or if the location names a folder
     */
    private Path fileOf(ObjectLocation object) throws ObjectStoreException {
        if (object.key().isEmpty() || object.key().endsWith("/")) {
            throw new ObjectStoreException(
                    Reason.INVALID, object + " names a folder; an object is expected");
        }
        Path file = root.resolve(object.bucket()).resolve(object.key());
        for (Path path = file; !path.equals(root); path = parentOf(path)) {
            if (Files.isSymbolicLink(path)) {
                throw new ObjectStoreException(
                        Reason.DENIED,
                        object + " cannot be reached: symbolic links are not followed here");
            }
        }
        return file;
    }

    private Path regularFile(ObjectLocation object) throws ObjectStoreException {
        Path file = fileOf(object);
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new ObjectStoreException(Reason.NOT_FOUND, object + " does not exist");
        }
        return file;
    }

    private boolean isBelowAFile(ObjectLocation object) throws ObjectStoreException {
        for (Path path = fileOf(object); !path.equals(root); path = parentOf(path)) {
            if (Files.isRegularFile(path)) {
                return true;
            }
        }
        return false;
    }

    private static Path parentOf(Path path) {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IllegalStateException("no object lies at the root of the file system");
        }
        return parent;
    }

    static ObjectInfo info(ObjectLocation object, BasicFileAttributes attributes) {
        // the inode changes with every replacement, so no content has to be read for the etag
        String etag =
                Integer.toHexString(String.valueOf(attributes.fileKey()).hashCode())
                        + "-"
                        + Long.toHexString(attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS))
                        + "-"
                        + Long.toHexString(attributes.size());
        return new ObjectInfo(
                object, attributes.size(), attributes.lastModifiedTime().toInstant(), etag);
    }

    private static ObjectStoreException failure(
            String what, ObjectLocation object, IOException cause) {
        return switch (cause) {
            case ObjectStoreException own -> own;
            case NoSuchFileException _ ->
                    new ObjectStoreException(Reason.NOT_FOUND, object + " does not exist", cause);
            case AccessDeniedException _ ->
                    new ObjectStoreException(
                            Reason.DENIED, object + " " + what + ": permission denied", cause);
            default ->
                    new ObjectStoreException(
                            Reason.UNAVAILABLE,
                            object + " " + what + ": " + cause.getMessage(),
                            cause);
        };
    }
}
