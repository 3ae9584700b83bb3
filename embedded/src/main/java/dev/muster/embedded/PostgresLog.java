package dev.muster.embedded;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.regex.Pattern;

/** The file that a server writes to; the one before is kept when it has grown. */
final class PostgresLog {
    private static final long ROTATE_BYTES = 8L * 1024 * 1024;
    private static final int TAIL_BYTES = 16 * 1024;
    private static final Pattern SEVERITY =
            Pattern.compile(".*?\\b(PANIC|FATAL|ERROR|error|fatal): *");

    private final Path file;
    private long start;

    PostgresLog(Path file) {
        this.file = file;
    }

    Path file() {
        return file;
    }

    /** Notes where the next start's lines begin. */
    void mark() throws IOException {
        if (Files.exists(file) && Files.size(file) > ROTATE_BYTES) {
            Files.move(
                    file,
                    file.resolveSibling(file.getFileName() + ".1"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        start = Files.exists(file) ? Files.size(file) : 0;
    }

    /** The last lines since {@link #mark}. */
    String tail() {
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            long from = Math.max(start, log.length() - TAIL_BYTES);
            byte[] bytes = new byte[(int) Math.max(0, log.length() - from)];
            log.seek(from);
            log.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException _) {
            return "";
        }
    }

    /** The first line of an output that complains, without its prefix; else the last line. */
    static String complaint(String output) {
        List<String> lines = output.lines().filter(line -> !line.isBlank()).toList();
        return lines.stream()
                .filter(line -> SEVERITY.matcher(line).lookingAt())
                .findFirst()
                .map(line -> SEVERITY.matcher(line).replaceFirst(""))
                .orElse(lines.isEmpty() ? "nothing" : lines.getLast())
                .strip();
    }
}
