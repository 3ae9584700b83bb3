package dev.muster.scheduler;

import dev.muster.core.CoreSettings;
import dev.muster.core.PoolCore;
import dev.muster.domain.JobBlock;
import dev.muster.platform.codec.Malformed;
import dev.muster.platform.codec.SnapshotReader;
import dev.muster.platform.sql.StatementFailed;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Loads a snapshot: one thread reads and decodes, the caller's takes the jobs into the core, so
 * that two processors share the work and only some pieces are in memory between them.
 */
final class SnapshotLoading {

    private static final int PIECES_BETWEEN = 4;
    private static final long LOOK_MILLIS = 500;

    /**
     * Jobs in order.
     *
     * @param jobs none at the end
     */
    private record Piece(JobBlock jobs, @Nullable Throwable failure) {}

    private final SnapshotReader reader;
    private final BlockingQueue<Piece> pieces = new ArrayBlockingQueue<>(PIECES_BETWEEN);

    private SnapshotLoading(SnapshotReader reader) {
        this.reader = reader;
    }

    /**
     * Blocks.
     *
     * @throws Malformed if the bytes are not as they were written
     * @throws dev.muster.domain.InvariantBroken if they contradict themselves
     * @throws StatementFailed if PostgreSQL does not give them
     */
    static PoolFold load(StoredSnapshot label, InputStream body, CoreSettings settings)
            throws InterruptedException {
        try (body) {
            SnapshotReader reader = new SnapshotReader(body);
            PoolCore core = new SnapshotLoading(reader).core(settings);
            check(label, reader, core);
            return PoolFold.of(core, label.positions());
        } catch (IOException e) {
            throw new Malformed("a snapshot", e);
        }
    }

    /** What has checksums was read back and hashed before it was published. */
    private static void check(StoredSnapshot label, SnapshotReader reader, PoolCore core) {
        if (!reader.checksummed()) {
            core.checkInvariants();
        }
        boolean same =
                core.seq() == label.seq()
                        && (reader.checksummed()
                                || Arrays.equals(core.stateHash(), label.stateHash()));
        if (!same) {
            throw new Malformed("the state of a snapshot, which has another hash now,");
        }
    }

    private PoolCore core(CoreSettings settings) throws InterruptedException {
        Thread decoder =
                Thread.ofPlatform().daemon().name("scheduler-snapshot").start(this::decode);
        try {
            PoolCore.Loading loading = PoolCore.loading(reader.around(), settings);
            loading.expect(reader.expectedJobs());
            Piece piece = next(decoder);
            while (!piece.jobs().isEmpty()) {
                loading.add(piece.jobs());
                piece = next(decoder);
            }
            return switch (piece.failure()) {
                case null -> loading.end();
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case Throwable failure -> throw new Malformed("a snapshot", failure);
            };
        } finally {
            decoder.interrupt();
        }
    }

    /** A decoder may end without a word, if there is no memory even for that. */
    private Piece next(Thread decoder) throws InterruptedException {
        while (true) {
            boolean more = decoder.isAlive();
            Piece piece = pieces.poll(more ? LOOK_MILLIS : 0, TimeUnit.MILLISECONDS);
            if (piece != null) {
                return piece;
            }
            if (!more) {
                throw new IllegalStateException("the thread that read the snapshot has ended");
            }
        }
    }

    private void decode() {
        try {
            JobBlock jobs = null;
            while (jobs == null || !jobs.isEmpty()) {
                jobs = reader.next();
                pieces.put(new Piece(jobs, null));
            }
        } catch (InterruptedException e) {
            // nobody waits for more
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException | Error e) {
            tell(e);
        }
    }

    private void tell(Throwable failure) {
        try {
            pieces.put(new Piece(JobBlock.of(List.of()), failure));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
