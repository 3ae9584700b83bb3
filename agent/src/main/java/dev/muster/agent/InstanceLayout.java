package dev.muster.agent;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * Makes the folders of an instance, see {@link InstanceDirectories}. What is there already stays.
 */
final class InstanceLayout {

    private static final int SHARED = 0755;
    private static final int STICKY = 01777;

    private final InstancePlan plan;
    private final Optional<LocalUser> user;

    InstanceLayout(InstancePlan plan, Optional<LocalUser> user) {
        this.plan = plan;
        this.user = user;
    }

    /**
     * @throws IOException naming the folder that cannot be made, or that the user cannot enter
     */
    void make() throws IOException {
        if (user.isPresent()) {
            checkWayTo(plan.root(), user.get());
        }
        InstanceDirectories directories = plan.directories();
        mode(plan.root(), SHARED);
        make(directories.root().resolve("home"), SHARED);
        make(directories.home(), STICKY);
        make(directories.mount(), STICKY);
        make(directories.logs(), STICKY);
        make(directories.mount().resolve("inputs"), SHARED);
        make(directories.mount().resolve("outputs"), SHARED);
        makeOwned(directories.cache());
        makeAllOwned(directories.local(plan.localCodeDir()));
        for (int n = 0; n < plan.inputs().size(); n++) {
            makeOwned(directories.input(plan.inputs().get(n).name(), n));
        }
        for (int n = 0; n < plan.outputs().size(); n++) {
            makeOwned(directories.output(plan.outputs().get(n).name(), n));
        }
        makeLog(directories.log(plan.id()));
    }

    /** A command that cannot reach its own files would fail for reasons hard to guess. */
    private static void checkWayTo(Path root, LocalUser user) throws IOException {
        for (Path on = root.getParent(); on != null; on = on.getParent()) {
            int mode = number(on, "mode");
            boolean enters =
                    user.uid() == 0
                            || (number(on, "uid") == user.uid() && (mode & 0100) != 0)
                            || (number(on, "gid") == user.gid() && (mode & 0010) != 0)
                            || (mode & 0001) != 0;
            if (!enters) {
                throw new IOException("user '" + user.name() + "' cannot enter " + on);
            }
        }
    }

    private static int number(Path path, String attribute) throws IOException {
        return Files.getAttribute(path, "unix:" + attribute) instanceof Integer number ? number : 0;
    }

    /** The service's own file in a sticky folder: the command cannot put a link in its place. */
    private static void makeLog(Path log) throws IOException {
        try {
            Files.createFile(log);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isRegularFile(log, LinkOption.NOFOLLOW_LINKS)) {
                throw e;
            }
        }
    }

    private static void make(Path directory, int mode) throws IOException {
        try {
            Files.createDirectory(directory);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                throw e;
            }
        }
        mode(directory, mode);
    }

    private static void mode(Path directory, int mode) throws IOException {
        Files.setAttribute(directory, "unix:mode", mode, LinkOption.NOFOLLOW_LINKS);
    }

    private void makeOwned(Path directory) throws IOException {
        make(directory, SHARED);
        if (user.isPresent()) {
            user.get().own(directory);
        }
    }

    /** Also the folders on the way, as far as they are not there. */
    void makeAllOwned(Path directory) throws IOException {
        Path parent = directory.getParent();
        if (parent != null && !Files.exists(parent, LinkOption.NOFOLLOW_LINKS)) {
            makeAllOwned(parent);
        }
        makeOwned(directory);
    }

    /** What was brought in: the command may read, and change, its own copy. */
    void handOver(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        if (user.isPresent()) {
            user.get().own(file);
        }
    }
}
