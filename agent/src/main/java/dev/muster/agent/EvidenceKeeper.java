package dev.muster.agent;

import dev.muster.storage.ObjectLocation;
import dev.muster.storage.ObjectStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Keeps what is known of a command that was ended because it hung: what its threads were doing, the
 * end of its log with the stacks that its interpreters printed, and its signals. It is gathered
 * before the next process start, and carried to the object store while that one runs.
 *
 * <p>Of the instance's own thread. The file {@code evidence-N} stands for what is to be kept of
 * process start N, {@code kept-N} for what was.
 */
final class EvidenceKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(EvidenceKeeper.class);
    private static final String WANTED = "evidence-";
    private static final String KEPT = "kept-";
    private static final int LOG_BYTES = 64 * 1024;
    private static final int MAX_SAMPLE_BYTES = 1 << 20;
    private static final long RETRY_MILLIS = 5000;

    private final InstancePlan plan;
    private final AgentSettings settings;
    private final Session session;
    private final Supplier<Signals> signals;
    private final Path control;
    private final List<Request> pending = new ArrayList<>();
    private final AtomicInteger carrying = new AtomicInteger();
    private boolean looked;

    /** What is to be kept, for which incident, and how the signals stood when that was ordered. */
    private record Request(int processStart, int incident, String signals) {

        String text() {
            return incident + "\n" + signals;
        }
    }

    EvidenceKeeper(
            InstancePlan plan, AgentSettings settings, Session session, Supplier<Signals> signals) {
        this.plan = plan;
        this.settings = settings;
        this.session = session;
        this.signals = signals;
        this.control = plan.directories().control();
    }

    /** Evidence of this process start is wanted from now on. */
    void want(int processStart, int incident) throws IOException {
        look();
        String name = WANTED + processStart;
        if (!Files.exists(control.resolve(name))) {
            Request request = new Request(processStart, incident, describe(signals.get()));
            ControlFiles.write(control, name, request.text());
            settings.failpoint().accept("agent.evidence");
            pending.add(request);
        }
    }

    /** Gathers what is wanted of process starts that have ended. */
    void settle(InstanceFacts facts) throws IOException {
        look();
        for (Request each : List.copyOf(pending)) {
            StateFile.Recorded start = facts.state().start(each.processStart);
            boolean over = start == null || (start.ended() && start.cleared);
            if (over || facts.ended()) {
                send(each);
            }
        }
    }

    /** What cannot be gathered now stays to be gathered at the next look, and holds up no step. */
    private void send(Request request) {
        byte[] text;
        try {
            text = gather(request).getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            LOG.warn("evidence of {} cannot be gathered yet: {}", plan.id(), e.toString());
            return;
        }
        pending.remove(request);
        carrying.incrementAndGet();
        Thread.ofVirtual().name("evidence-" + plan.id()).start(() -> carry(request, text));
    }

    /** Whether something that is to be kept is not in the store yet. */
    boolean isCarrying() {
        return carrying.get() > 0 || !pending.isEmpty();
    }

    /** What an earlier process did not carry, once; the last that was carried is told again. */
    private void look() throws IOException {
        if (looked || Files.notExists(control)) {
            return;
        }
        List<Request> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(control, WANTED + "*")) {
            for (Path each : files) {
                read(String.valueOf(each.getFileName())).ifPresent(found::add);
            }
        }
        looked = true;
        found.stream().filter(each -> !isKept(each)).forEach(pending::add);
        found.stream()
                .filter(this::isKept)
                .max(Comparator.comparingInt(Request::incident))
                .ifPresent(this::tell);
    }

    private boolean isKept(Request request) {
        return Files.exists(control.resolve(KEPT + request.processStart));
    }

    private Optional<Request> read(String name) throws IOException {
        if (!name.matches(WANTED + "[0-9]+")) {
            return Optional.empty();
        }
        String text = ControlFiles.read(control, name).orElse("");
        int end = text.indexOf('\n');
        return end < 1
                ? Optional.empty()
                : Optional.of(
                        new Request(
                                Integer.parseInt(name.substring(WANTED.length())),
                                Integer.parseInt(text.substring(0, end)),
                                text.substring(end + 1)));
    }

    private String gather(Request request) throws IOException {
        String sample = sample(request);
        return """
        instance %s, process start %d, incident %d, gathered %s

        --- signals when the end was ordered
        %s

        --- threads, as the kernel tells them
        %s
        --- end of the log, with the stacks that interpreters printed
        %s\
        """
                .formatted(
                        plan.id(),
                        request.processStart,
                        request.incident,
                        Instant.ofEpochMilli(System.currentTimeMillis()),
                        request.signals,
                        sample.isEmpty()
                                ? "none: the command ended before it could be looked at\n"
                                : sample,
                        tail(request));
    }

    /** Names and arguments of processes are bytes, which need not be UTF-8. */
    private String sample(Request request) throws IOException {
        try (InputStream dump =
                Files.newInputStream(control.resolve("dump-" + request.processStart))) {
            return new String(dump.readNBytes(MAX_SAMPLE_BYTES), StandardCharsets.UTF_8)
                    .replace('\0', ' ');
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    /** Lies where the command can move it, which must not cost the rest. */
    private String tail(Request request) throws IOException {
        long begin = LaunchFile.logBegin(plan, request.processStart);
        // the next process start prints to the same log
        long next = LaunchFile.logBegin(plan, request.processStart + 1);
        Path log = plan.directories().log(plan.id());
        SafeTree tree = new SafeTree(plan.root());
        try {
            long end = next > 0 ? next : tree.size(log);
            long from = Math.max(begin, end - LOG_BYTES);
            return end > from
                    ? new String(tree.read(log, from, (int) (end - from)), StandardCharsets.UTF_8)
                    : "";
        } catch (IOException e) {
            return "the log cannot be read: " + e + "\n";
        }
    }

    private static String describe(Signals signals) {
        return "silent for %d ms, %d bytes printed, step %s, loss %s, checkpoint %s, failure %s"
                .formatted(
                        signals.silentMillis(),
                        signals.logBytes(),
                        signals.step() < 0 ? "none" : String.valueOf(signals.step()),
                        Double.isNaN(signals.loss()) ? "none" : String.valueOf(signals.loss()),
                        signals.checkpoint().isEmpty() ? "none" : signals.checkpoint(),
                        signals.failure().isEmpty() ? "none" : signals.failure());
    }

    private void carry(Request request, byte[] text) {
        ObjectLocation target = location(request);
        try {
            while (!session.closed()) {
                try {
                    ObjectStore store = settings.stores().serving(target);
                    store.write(target, new ByteArrayInputStream(text), text.length);
                    ControlFiles.write(control, KEPT + request.processStart, "");
                    settings.failpoint().accept("agent.kept");
                    tell(request);
                    return;
                } catch (IOException e) {
                    if (Files.notExists(control)) {
                        return;
                    }
                    LOG.warn("evidence of {} is carried out later: {}", plan.id(), e.toString());
                    Thread.sleep(RETRY_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.error("evidence of {} cannot be carried to {}", plan.id(), target, e);
        } finally {
            carrying.decrementAndGet();
            session.wake();
        }
    }

    private ObjectLocation location(Request request) {
        InstanceId id = plan.id();
        return settings.evidence()
                .resolve(id.job())
                .resolve(String.valueOf(id.attempt()))
                .resolve(String.valueOf(request.incident))
                .resolve(id.index() + ".txt");
    }

    private void tell(Request request) {
        session.tell(
                new InstanceEvent.EvidenceKept(
                        plan.id(),
                        request.processStart,
                        request.incident,
                        location(request).toString()));
    }
}
