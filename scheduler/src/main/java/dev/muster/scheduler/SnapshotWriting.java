package dev.muster.scheduler;

import dev.muster.core.PoolCore;
import dev.muster.domain.CanonicalSnapshot;
import dev.muster.domain.JobBlock;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.PoolSnapshot;
import dev.muster.platform.codec.Malformed;
import dev.muster.platform.codec.SnapshotReader;
import dev.muster.platform.codec.SnapshotWriter;

import io.vertx.core.buffer.Buffer;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Writes a snapshot part by part, reads it back, and publishes it only if it gives the same state:
 * who loads it need not hash it. Whatever the size of the state, some megabytes are in memory.
 */
final class SnapshotWriting {

    private static final int PART_BYTES = 1 << 20;

    /** Somebody needs the core more urgently. */
    static final class Abandoned extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Abandoned() {
            super("the snapshot was abandoned", null, false, false);
        }
    }

    private final SnapshotStore store;
    private final PoolFold state;
    private final BooleanSupplier abandoned;
    private Buffer part = Buffer.buffer();
    private int parts;
    private long bytes;

    private SnapshotWriting(SnapshotStore store, PoolFold state, BooleanSupplier abandoned) {
        this.store = store;
        this.state = state;
        this.abandoned = abandoned;
    }

    /**
     * Blocks.
     *
     * @param abandoned asked now and then; what was written so far is then forgotten
     * @return its bytes
     * @throws Abandoned if told so
     * @throws Malformed if it does not give the same state
     */
    static long write(SnapshotStore store, PoolFold state, int keep, BooleanSupplier abandoned)
            throws InterruptedException {
        long from = System.nanoTime();
        SnapshotWriting writing = new SnapshotWriting(store, state, abandoned);
        byte[] hash = writing.write();
        if (!Arrays.equals(hash, writing.readBack())) {
            throw new Malformed("the snapshot just written, which gives another state,");
        }
        StoredSnapshot label =
                new StoredSnapshot(
                        state.core().seq(), hash, state.positions(), JournalRow.CODE_VERSION, null);
        long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from);
        Awaited.get(store.publish(label, took, keep));
        return writing.bytes;
    }

    /** Unchecked, across the core's visitor. */
    private static final class Interrupted extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** The hash of the state. */
    private byte[] write() throws InterruptedException {
        PoolCore core = state.core();
        PoolSnapshot around = core.around();
        CanonicalSnapshot hash = CanonicalSnapshot.of(around, core.jobs());
        SnapshotWriter writer = new SnapshotWriter(this::piece);
        writer.begin(around, core.jobs());
        try {
            core.forEachJob(job -> {
                hash.add(job);
                add(writer, job);
            });
        } catch (Interrupted e) {
            throw new InterruptedException("interrupted while a snapshot was written");
        }
        writer.end();
        flush();
        return hash.end();
    }

    private static void add(SnapshotWriter writer, JobSnapshot job) {
        try {
            writer.add(job);
        } catch (InterruptedException e) {
            throw new Interrupted();
        }
    }

    private void piece(byte[] piece) throws InterruptedException {
        part.appendBytes(piece);
        if (part.length() >= PART_BYTES) {
            flush();
        }
    }

    private void flush() throws InterruptedException {
        if (abandoned.getAsBoolean()) {
            throw new Abandoned();
        }
        Awaited.get(store.writePart(state.core().seq(), parts++, part));
        bytes += part.length();
        part = Buffer.buffer();
    }

    /** The hash of what PostgreSQL holds. */
    private byte[] readBack() {
        try (SnapshotParts source = new SnapshotParts(store, state.core().seq())) {
            SnapshotReader reader = new SnapshotReader(source);
            CanonicalSnapshot hash = CanonicalSnapshot.of(reader.around(), reader.expectedJobs());
            JobBlock jobs = reader.next();
            while (!jobs.isEmpty()) {
                if (abandoned.getAsBoolean()) {
                    throw new Abandoned();
                }
                jobs.jobs().forEach(hash::add);
                jobs = reader.next();
            }
            return hash.end();
        } catch (IOException e) {
            throw new Malformed("the snapshot just written", e);
        }
    }
}
