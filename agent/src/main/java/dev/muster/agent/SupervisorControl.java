package dev.muster.agent;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Collectors;

/** The agent's side of what the supervisor script describes: its files, its bell, its start. */
final class SupervisorControl {

    static final String SCRIPT = "supervisor.sh";
    static final String DESIRED = "desired";
    static final String QUIT = "quit";
    static final String IDLE = "idle 0";
    private static final String BELL = "bell";
    private static final String GO = "go";

    /** Where the script finds out which pid it has on this machine. */
    private static final Path START = Path.of("/proc");

    /** What the supervisor itself needs: its programs. The command's environment is its own. */
    static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private static final Logger LOG = LoggerFactory.getLogger(SupervisorControl.class);

    private static final byte[] TEXT = text();

    private final Path control;
    private final AgentSettings settings;

    SupervisorControl(InstancePlan plan, AgentSettings settings) {
        this.control = plan.directories().control();
        this.settings = settings;
    }

    /** Writes what is desired, unless it stands there already. */
    void desire(String order) throws IOException {
        String text = order + "\n";
        if (ControlFiles.read(control, DESIRED).filter(text::equals).isPresent()) {
            return;
        }
        ControlFiles.write(control, DESIRED, text);
        settings.failpoint().accept("agent.desired");
    }

    /** Names the processes of the command to a supervisor that cannot know them itself. */
    void show(List<ProcessTable.Entry> command) throws IOException {
        String pids =
                command.stream()
                        .map(entry -> String.valueOf(entry.pid()))
                        .collect(Collectors.joining(" "));
        ControlFiles.write(control, "processes", pids + "\n");
    }

    /**
     * Rings, unless an earlier ring was not heard yet; so the bell's buffer never fills and this
     * never blocks. Nothing happens as long as there is no bell: who makes it looks by himself.
     */
    void ring() throws IOException {
        Path bell = control.resolve(BELL);
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
     *
     * @return the child of this process that ends after all in its namespace; 0 if there is no
     *     namespace, or no such child
     */
    long launch() throws IOException {
        installScript();
        if (ControlFiles.read(control, DESIRED).isEmpty()) {
            desire(IDLE);
        }
        for (String name : List.of(BELL, GO)) {
            // who cannot make them leaves it to the script
            boolean made = Libc.makeFifo(control.resolve(name));
            LOG.trace("{} made: {}", name, made);
        }
        Isolation isolation = settings.isolation();
        long child =
                isolation.start(
                        List.of("sh", control.resolve(SCRIPT).toString(), control.toString()),
                        START,
                        control.resolve("supervisor.log"),
                        List.of("PATH=" + PATH));
        if (child != 0) {
            Supervisors.add(child);
        }
        if (isolation.isDirect()) {
            ring();
        }
        settings.failpoint().accept("agent.supervisor");
        return isolation.kind() == IsolationKind.NAMESPACE ? child : 0;
    }

    private void installScript() throws IOException {
        Path script = control.resolve(SCRIPT);
        if (Files.exists(control.resolve(SupervisorIdentity.NAME))) {
            return;
        }
        // one that lies there may be of an agent of another version
        Path next = control.resolve(SCRIPT + ".new");
        Files.write(next, TEXT);
        Files.move(
                next, script, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static byte[] text() {
        try (InputStream in = SupervisorControl.class.getResourceAsStream(SCRIPT)) {
            if (in == null) {
                throw new IllegalStateException("the resource " + SCRIPT + " is missing");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
