package dev.muster.cli;

import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** A compressed tar file, with a digest over what was written or read so far. */
final class BackupArchive {

    private static final int BUFFER = 1 << 16;

    private BackupArchive() {}

    /** This second, for the name of a file. */
    static String stamp() {
        return DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'")
                .withZone(ZoneOffset.UTC)
                .format(Instant.now());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes entries, one after the other. */
    static final class Writer implements AutoCloseable {

        private final MessageDigest digest = sha256();
        private final TarArchiveOutputStream tar;

        /**
         * @param file made anew, readable by its owner alone; must not exist
         */
        Writer(Path file) throws IOException {
            OutputStream out =
                    Files.newOutputStream(
                            PrivateFiles.empty(file),
                            StandardOpenOption.WRITE,
                            StandardOpenOption.TRUNCATE_EXISTING);
            tar =
                    new TarArchiveOutputStream(
                            new BufferedOutputStream(new GZIPOutputStream(out, BUFFER), BUFFER),
                            StandardCharsets.UTF_8.name());
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
            tar.setAddPaxHeadersForNonAsciiNames(true);
        }

        void put(String name, byte[] content, int length) throws IOException {
            begin(name, length);
            digest.update(content, 0, length);
            tar.write(content, 0, length);
            tar.closeArchiveEntry();
        }

        void put(String name, String content) throws IOException {
            byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
            put(name, bytes, bytes.length);
        }

        void put(String name, InputStream content, long length) throws IOException {
            begin(name, length);
            byte[] buffer = new byte[BUFFER];
            long left = length;
            while (left > 0) {
                int read = content.read(buffer, 0, (int) Math.min(left, BUFFER));
                if (read < 0) {
                    throw new IOException(name + " became shorter while it was read");
                }
                digest.update(buffer, 0, read);
                tar.write(buffer, 0, read);
                left -= read;
            }
            tar.closeArchiveEntry();
        }

        private void begin(String name, long length) throws IOException {
            TarArchiveEntry entry = new TarArchiveEntry(name);
            entry.setSize(length);
            entry.setMode(0100600);
            tar.putArchiveEntry(entry);
            digest.update(name.getBytes(StandardCharsets.UTF_8));
        }

        /** Over all entries so far; the next ones begin a new one. */
        String digest() {
            return HexFormat.of().formatHex(digest.digest());
        }

        @Override
        public void close() throws IOException {
            tar.close();
        }
    }

    /** Is given each entry in order. */
    @FunctionalInterface
    interface Visitor {

        /**
         * @param content of the entry alone; need not be read to its end
         */
        void visit(String name, InputStream content) throws IOException;
    }

    /**
     * Reads all entries; the manifest last, which is not visited.
     *
     * @throws CommandFailure if the file is not a whole and unchanged backup
     */
    static BackupManifest read(Path file, Visitor visitor) {
        MessageDigest digest = sha256();
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(
                        new GZIPInputStream(
                                new BufferedInputStream(Files.newInputStream(file), BUFFER),
                                BUFFER),
                        StandardCharsets.UTF_8.name())) {
            TarArchiveEntry entry = tar.getNextEntry();
            while (entry != null) {
                String name = entry.getName();
                if (name.equals(BackupManifest.ENTRY)) {
                    String text = new String(tar.readAllBytes(), StandardCharsets.UTF_8);
                    BackupManifest manifest = BackupManifest.of(Documents.tryJson(text));
                    if (!manifest.digest().equals(HexFormat.of().formatHex(digest.digest()))) {
                        throw damaged(file, "its digest is another than was written with it");
                    }
                    return manifest;
                }
                digest.update(name.getBytes(StandardCharsets.UTF_8));
                InputStream content = new DigestInputStream(new Unclosable(tar), digest);
                visitor.visit(name, content);
                content.transferTo(OutputStream.nullOutputStream());
                entry = tar.getNextEntry();
            }
        } catch (IOException e) {
            throw damaged(file, PrivateFiles.why(e));
        }
        throw damaged(file, "its end is missing");
    }

    private static CommandFailure damaged(Path file, String why) {
        return new CommandFailure(ExitCodes.FAILED, file + " cannot be used as a backup: " + why);
    }

    /** A part of a stream that somebody else closes. */
    private static final class Unclosable extends java.io.FilterInputStream {
        Unclosable(InputStream in) {
            super(in);
        }

        @Override
        public void close() {
            // the archive goes on behind it
        }
    }
}
