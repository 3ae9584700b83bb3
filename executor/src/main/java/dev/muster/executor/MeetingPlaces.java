package dev.muster.executor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The rendezvous of each live attempt, in memory and in the attempt's file. Thread-safe. */
final class MeetingPlaces {

    private final InstanceTree tree;
    private final LoopbackNetwork network;
    private final Map<InstanceTree.Attempt, Rendezvous> known = new ConcurrentHashMap<>();

    MeetingPlaces(InstanceTree tree, LoopbackNetwork network) {
        this.tree = tree;
        this.network = network;
    }

    /** The place of an attempt that has a directory: chosen once, whoever asks first. */
    Rendezvous of(InstanceTree.Attempt attempt, int instances) throws IOException {
        try {
            return known.computeIfAbsent(attempt, each -> readOrTake(each, instances));
        } catch (UncheckedIOException e) {
            throw Objects.requireNonNull(e.getCause());
        }
    }

    private Rendezvous readOrTake(InstanceTree.Attempt attempt, int instances) {
        Path directory = tree.attempt(attempt.job(), attempt.number());
        try {
            Optional<Rendezvous> written = Rendezvous.read(directory);
            if (written.isPresent()) {
                network.note(written.get());
                return written.get();
            }
            Rendezvous taken = network.take(instances);
            try {
                taken.write(directory);
            } catch (IOException e) {
                network.giveBack(taken);
                throw e;
            }
            return taken;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Notes what an earlier process chose. */
    void remember(InstanceTree.Attempt attempt) throws IOException {
        Optional<Rendezvous> written =
                Rendezvous.read(tree.attempt(attempt.job(), attempt.number()));
        if (written.isPresent() && known.putIfAbsent(attempt, written.get()) == null) {
            network.note(written.get());
        }
    }

    void forget(InstanceTree.Attempt attempt) {
        Rendezvous last = known.remove(attempt);
        if (last != null) {
            network.giveBack(last);
        }
    }
}
