package dev.muster.executor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Who runs commands on this machine, and where instances lie so that this user can reach them.
 *
 * <p>The data directory is closed to others. Where commands run as another user, {@code instances}
 * in it is a link to a directory below {@code /var/lib/muster}.
 *
 * @param user that commands run as; empty: the service's own
 */
record LocalHome(InstanceTree tree, Optional<String> user) {

    private static final Path OUTSIDE = Path.of("/var/lib/muster");
    private static final String UNPRIVILEGED = "nobody";

    /** What the local backend needs of the machine. */
    private static final List<String> PROGRAMS = List.of("sh", "env");

    private static final List<String> PLACES =
            List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");

    static Path instances(Path dataDirectory) {
        return dataDirectory.resolve("instances");
    }

    /**
     * @param configuredUser empty for the default: the service's own, or nobody if that is root
     * @throws IOException whose message is one sentence for the user
     */
    static LocalHome open(Path dataDirectory, String configuredUser) throws IOException {
        checkPrograms(PROGRAMS);
        Optional<String> user = user(configuredUser);
        if (user.isPresent()) {
            checkPrograms(List.of("setpriv"));
        }
        Path wanted = instances(dataDirectory);
        try {
            if (!Files.exists(wanted, LinkOption.NOFOLLOW_LINKS)) {
                if (user.isPresent() && !othersReach(dataDirectory.toRealPath())) {
                    Files.createSymbolicLink(wanted, outside(dataDirectory));
                } else {
                    Files.createDirectory(wanted);
                }
            }
            Path root = Files.createDirectories(wanted.toRealPath());
            Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx--x--x"));
            if (user.isPresent() && !othersReach(root)) {
                throw new IOException(
                        "commands run as "
                                + user.get()
                                + ", who cannot reach "
                                + root
                                + ": delete "
                                + wanted
                                + " so that it is placed anew, or set executor.local.user");
            }
            return new LocalHome(new InstanceTree(root), user);
        } catch (java.nio.file.FileSystemException e) {
            throw new IOException(
                    "the directory of instances cannot be used: " + Sentences.of(e), e);
        }
    }

    private static Optional<String> user(String configured) throws IOException {
        boolean root =
                Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        String own = System.getProperty("user.name", "");
        if (configured.isEmpty()) {
            if (root && !exists(UNPRIVILEGED)) {
                throw new IOException(
                        "commands do not run as root unless executor.local.user says so, and there"
                                + " is no user "
                                + UNPRIVILEGED);
            }
            return root ? Optional.of(UNPRIVILEGED) : Optional.empty();
        }
        if (configured.equals(own)) {
            return Optional.empty();
        }
        if (!exists(configured)) {
            throw new IOException(
                    "executor.local.user is " + configured + ", who is not in /etc/passwd");
        }
        if (!root) {
            throw new IOException(
                    "executor.local.user is "
                            + configured
                            + ", but only root can run commands as"
                            + " another user than its own");
        }
        return Optional.of(configured);
    }

    private static boolean exists(String user) throws IOException {
        return Files.readAllLines(Path.of("/etc/passwd"), StandardCharsets.UTF_8).stream()
                .anyMatch(line -> line.startsWith(user + ":"));
    }

    private static boolean othersReach(Path directory) throws IOException {
        for (Path each = directory; each != null; each = each.getParent()) {
            if (!Files.getPosixFilePermissions(each).contains(PosixFilePermission.OTHERS_EXECUTE)) {
                return false;
            }
        }
        return true;
    }

    private static Path outside(Path dataDirectory) throws IOException {
        Files.createDirectories(OUTSIDE);
        Path own = OUTSIDE.resolve(hash(dataDirectory.toRealPath().toString()));
        Files.createDirectories(own);
        Files.writeString(own.resolve("data-directory"), dataDirectory.toRealPath() + "\n");
        for (Path each : List.of(OUTSIDE, own)) {
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwx--x--x"));
        }
        return Files.createDirectories(own.resolve("instances"));
    }

    private static String hash(String text) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void checkPrograms(List<String> programs) throws IOException {
        for (String program : programs) {
            if (PLACES.stream().noneMatch(p -> Files.isExecutable(Path.of(p, program)))) {
                throw new IOException(
                        "the local backend needs the program '"
                                + program
                                + "', which is not in "
                                + String.join(", ", PLACES));
            }
        }
    }
}
