package dev.muster.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;

/** As whom PostgreSQL runs: it refuses to run as root. */
sealed interface ServerUser {
    int NOBODY = 65_534;

    /** The command that runs the given one as this user; the process stays the same one. */
    List<String> wrap(List<String> command);

    /** Where a directory goes that was wanted at the given place. */
    Path place(Path wanted);

    /** Gives this user an existing directory for its own. */
    void own(Path directory) throws IOException;

    /** This process's own user, who is not root. */
    record Same() implements ServerUser {
        @Override
        public List<String> wrap(List<String> command) {
            return command;
        }

        @Override
        public Path place(Path wanted) {
            return wanted;
        }

        @Override
        public void own(Path directory) {}
    }

    /** Root outside, nobody inside a user namespace: files stay root's and private. */
    record UserNamespace() implements ServerUser {
        private static final List<String> PREFIX =
                List.of("unshare", "-U", "--map-user=" + NOBODY, "--map-group=" + NOBODY, "--");

        @Override
        public List<String> wrap(List<String> command) {
            return join(PREFIX, command);
        }

        @Override
        public Path place(Path wanted) {
            return wanted;
        }

        @Override
        public void own(Path directory) {}
    }

    /**
     * Really nobody, where user namespaces are forbidden. Nobody cannot enter a private directory
     * of root's, so what lies in one is placed below {@code /var/lib/muster} instead.
     */
    record Nobody(Path elsewhere) implements ServerUser {
        private static final List<String> PREFIX =
                List.of(
                        "setpriv",
                        "--reuid=" + NOBODY,
                        "--regid=" + NOBODY,
                        "--clear-groups",
                        "--");

        Nobody() {
            this(Path.of("/var/lib/muster"));
        }

        @Override
        public List<String> wrap(List<String> command) {
            return join(PREFIX, command);
        }

        @Override
        public Path place(Path wanted) {
            for (Path above = wanted.getParent(); above != null; above = above.getParent()) {
                if (!isOpen(above)) {
                    byte[] name = wanted.toString().getBytes(StandardCharsets.UTF_8);
                    return elsewhere.resolve(UUID.nameUUIDFromBytes(name).toString());
                }
            }
            return wanted;
        }

        private static boolean isOpen(Path directory) {
            try {
                return !Files.exists(directory)
                        || Files.getPosixFilePermissions(directory)
                                .contains(PosixFilePermission.OTHERS_EXECUTE);
            } catch (IOException _) {
                return false;
            }
        }

        @Override
        public void own(Path directory) throws IOException {
            Files.setAttribute(directory, "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(directory, "unix:gid", NOBODY, LinkOption.NOFOLLOW_LINKS);
        }
    }

    private static List<String> join(List<String> prefix, List<String> command) {
        List<String> all = new ArrayList<>(prefix);
        all.addAll(command);
        return List.copyOf(all);
    }

    /** What serves on this machine for this process. */
    static ServerUser detect() {
        return choose(isRoot(), ServerUser::works);
    }

    static ServerUser choose(boolean root, Predicate<ServerUser> works) {
        if (!root) {
            return new Same();
        }
        for (ServerUser user : List.of(new UserNamespace(), new Nobody())) {
            if (works.test(user)) {
                return user;
            }
        }
        throw new EmbeddedServerException(
                "PostgreSQL refuses to run as root, and neither `unshare` (with user namespaces)"
                        + " nor `setpriv` works here: install util-linux or run Muster as another"
                        + " user.");
    }

    private static boolean isRoot() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException _) {
            return "root".equals(System.getProperty("user.name"));
        }
    }

    private static boolean works(ServerUser user) {
        try {
            return Command.run(user.wrap(List.of("true")), "", Duration.ofSeconds(10)).succeeded();
        } catch (IOException _) {
            return false;
        }
    }
}
