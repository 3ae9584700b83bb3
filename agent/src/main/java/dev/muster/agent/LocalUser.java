package dev.muster.agent;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The account that a command runs under, where that is not the service's own. */
record LocalUser(String name, int uid, int gid) {

    /**
     * @throws IOException saying that there is no such account, or that only root may switch to it
     */
    static LocalUser find(String name) throws IOException {
        for (String line : Files.readAllLines(Path.of("/etc/passwd"), StandardCharsets.UTF_8)) {
            List<String> fields = List.of(line.split(":", -1));
            if (fields.size() >= 4 && fields.getFirst().equals(name)) {
                return new LocalUser(
                        name, Integer.parseInt(fields.get(2)), Integer.parseInt(fields.get(3)));
            }
        }
        throw new IOException("user '" + name + "' is not in /etc/passwd");
    }

    static Optional<LocalUser> of(InstancePlan plan) throws IOException {
        return plan.user().isEmpty() ? Optional.empty() : Optional.of(find(plan.user().get()));
    }

    void own(Path path) throws IOException {
        Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(path, "unix:gid", gid, LinkOption.NOFOLLOW_LINKS);
    }

    /** By its whole name, since the command may have a PATH without it. */
    private static String setpriv() {
        for (String folder : SupervisorControl.PATH.split(":", -1)) {
            Path program = Path.of(folder, "setpriv");
            if (Files.isExecutable(program)) {
                return program.toString();
            }
        }
        return "setpriv";
    }

    /** Put before the command. */
    List<String> become() {
        return List.of(
                setpriv(),
                "--reuid=" + uid,
                "--regid=" + gid,
                "--init-groups",
                "--inh-caps=-all",
                "--no-new-privs");
    }
}
