package dev.muster.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Reads files below an instance's root without following a symbolic link anywhere on the way.
 *
 * <p>Every step opens a folder relative to the one before, so that a command which swaps a folder
 * for a link while its outputs are read gains nothing: the service may be allowed to read what the
 * command is not.
 */
final class SafeTree {

    /** Of a regular file, enough to see whether it changed. */
    record Version(long size, long modifiedNanos, String key) {

        private static Version of(BasicFileAttributes attributes) {
            return new Version(
                    attributes.size(),
                    attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS),
                    String.valueOf(attributes.fileKey()));
        }
    }

    /** A regular file below a folder; {@code name} is relative to it, with slashes. */
    record Found(String name, Version version) {}

    /** Receives what a walk finds, each folder in the order of its names. */
    interface Visitor {
        void file(Found file) throws IOException;

        /** Something that is neither a folder nor a regular file: a link, a socket, a device. */
        void other(String name) throws IOException;
    }

    /** Deeper folders are an error: a walk holds one open descriptor per level. */
    private static final int MAX_DEPTH = 64;

    private final Path root;

    SafeTree(Path root) {
        this.root = root;
    }

    /** In bytes; 0 if there is no such file. */
    long size(Path file) throws IOException {
        try (SecureDirectoryStream<Path> folder = open(parentOf(file))) {
            return attributes(folder, nameOf(file)).size();
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    Version version(Path file) throws IOException {
        try (SecureDirectoryStream<Path> folder = open(parentOf(file))) {
            return Version.of(attributes(folder, nameOf(file)));
        }
    }

    /** Opens a regular file for reading. The caller closes it. */
    SeekableByteChannel openFile(Path file) throws IOException {
        try (SecureDirectoryStream<Path> folder = open(parentOf(file))) {
            if (!attributes(folder, nameOf(file)).isRegularFile()) {
                throw new NoSuchFileException(file + " is not a regular file");
            }
            return folder.newByteChannel(
                    nameOf(file), Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
        }
    }

    byte[] read(Path file, long offset, int maxBytes) throws IOException {
        try (SeekableByteChannel channel = openFile(file)) {
            long left = channel.size() - offset;
            if (left <= 0) {
                return new byte[0];
            }
            ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(left, maxBytes));
            channel.position(offset);
            int read = 0;
            while (buffer.hasRemaining() && read >= 0) {
                read = channel.read(buffer);
            }
            return java.util.Arrays.copyOf(buffer.array(), buffer.position());
        } catch (NoSuchFileException e) {
            return new byte[0];
        }
    }

    /** Visits everything below {@code folder}; nothing if it is not there. */
    void walk(Path folder, Visitor visitor) throws IOException {
        try (SecureDirectoryStream<Path> opened = open(folder)) {
            walk(opened, "", 0, visitor);
        } catch (NoSuchFileException e) {
            return;
        }
    }

    private void walk(SecureDirectoryStream<Path> folder, String prefix, int depth, Visitor visitor)
            throws IOException {
        if (depth > MAX_DEPTH) {
            throw new IOException(prefix + " lies deeper than " + MAX_DEPTH + " folders");
        }
        for (Path name : names(folder)) {
            try {
                BasicFileAttributes attributes = attributes(folder, name);
                if (attributes.isDirectory()) {
                    try (SecureDirectoryStream<Path> child =
                            folder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                        walk(child, prefix + name + "/", depth + 1, visitor);
                    }
                } else if (attributes.isRegularFile()) {
                    visitor.file(new Found(prefix + name, Version.of(attributes)));
                } else {
                    visitor.other(prefix + name);
                }
            } catch (NoSuchFileException e) {
                // it went away meanwhile: as if it had not been there
            }
        }
    }

    private static List<Path> names(DirectoryStream<Path> folder) {
        List<Path> names = new ArrayList<>();
        for (Path child : folder) {
            names.add(nameOf(child));
        }
        Collections.sort(names);
        return names;
    }

    private SecureDirectoryStream<Path> open(Path folder) throws IOException {
        SecureDirectoryStream<Path> stream = openRoot();
        if (folder.equals(root)) {
            return stream;
        }
        for (Path name : root.relativize(folder)) {
            try (SecureDirectoryStream<Path> parent = stream) {
                stream = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
            }
        }
        return stream;
    }

    @SuppressWarnings("StreamResourceLeak") // the caller closes it
    private SecureDirectoryStream<Path> openRoot() throws IOException {
        DirectoryStream<Path> stream = Files.newDirectoryStream(root);
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        throw new UnsupportedOperationException("this platform cannot open folders relatively");
    }

    private static BasicFileAttributes attributes(SecureDirectoryStream<Path> folder, Path name)
            throws IOException {
        return folder.getFileAttributeView(
                        name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes();
    }

    private static Path parentOf(Path file) {
        Path parent = file.getParent();
        if (parent == null) {
            throw new IllegalArgumentException(file + " lies in no folder");
        }
        return parent;
    }

    private static Path nameOf(Path file) {
        Path name = file.getFileName();
        if (name == null) {
            throw new IllegalArgumentException(file + " has no name");
        }
        return name;
    }
}
