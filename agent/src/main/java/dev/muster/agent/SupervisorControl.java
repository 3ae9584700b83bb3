package dev.muster.agent;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** The agent's side of what the supervisor script describes: its files, its bell, its start. */
final class SupervisorControl {

    static final String SCRIPT = "supervisor.sh";
    static final String DESIRED = "desired";
    static final String QUIT = "quit";
    static final String IDLE = "idle 0";

    /** What the supervisor itself needs: its programs. The command's environment is its own. */
    private static final String PATH =
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private final Path control;
    private final AgentSettings settings;

    SupervisorControl(InstancePlan plan, AgentSettings settings) {
        this.control = plan.directories().control();
        this.settings = settings;
    }

    /** Writes what is desired, unless it stands there already. */
    void desire(String order) throws IOException {
        String text = order + "\nsample 0\n";
        if (ControlFiles.read(control, DESIRED).filter(text::equals).isPresent()) {
            return;
        }
        ControlFiles.write(control, DESIRED, text);
        settings.failpoint().accept("agent.desired");
    }

    /**
     * Rings, unless an earlier ring was not heard yet; so the bell's buffer never fills and this
     * never blocks. Nothing happens as long as there is no bell: who makes it looks by himself.
     */
    void ring() throws IOException {
        Path bell = control.resolve("bell");
        if (!Files.exists(bell)) {
            return;
        }
        // opened for reading too, since opening a FIFO for writing waits for a reader
        try (RandomAccessFile fifo = new RandomAccessFile(bell.toFile(), "rw");
                FileInputStream pending = new FileInputStream(fifo.getFD())) {
            if (pending.available() == 0) {
                fifo.write('\n');
            }
        }
    }

    /**
     * Starts a supervisor. It goes on when this process ends, however that happens. If there is one
     * already, or was one, the new one leaves by itself: the place is claimed once.
     */
    void launch() throws IOException {
        installScript();
        if (ControlFiles.read(control, DESIRED).isEmpty()) {
            desire(IDLE);
        }
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "setsid",
                                "sh",
                                control.resolve(SCRIPT).toString(),
                                control.toString(),
                                "claim"));
        command.addAll(settings.isolation().enter());
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(control.toFile())
                        .redirectInput(new File("/dev/null"))
                        .redirectErrorStream(true)
                        .redirectOutput(
                                Redirect.appendTo(control.resolve("supervisor.log").toFile()));
        builder.environment().clear();
        builder.environment().put("PATH", PATH);
        builder.start();
        settings.failpoint().accept("agent.supervisor");
    }

    private void installScript() throws IOException {
        Path script = control.resolve(SCRIPT);
        if (Files.exists(script)) {
            return;
        }
        Path next = control.resolve(SCRIPT + ".new");
        try (InputStream in = SupervisorControl.class.getResourceAsStream(SCRIPT)) {
            if (in == null) {
                throw new IOException("the resource " + SCRIPT + " is missing");
            }
            Files.copy(in, next, StandardCopyOption.REPLACE_EXISTING);
        }
        Files.move(next, script, StandardCopyOption.ATOMIC_MOVE);
    }
}
