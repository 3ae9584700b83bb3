package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Objects.requireNonNull;

import dev.muster.core.PoolCore;
import dev.muster.domain.Ask;
import dev.muster.domain.Command;
import dev.muster.domain.Input;
import dev.muster.domain.JobId;
import dev.muster.domain.LaneId;
import dev.muster.domain.PoolId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.QueueId;
import dev.muster.domain.Resources;
import dev.muster.platform.codec.SnapshotCodec;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.List;
import java.util.Map;

/** Whatever comes out of the reading of a snapshot, the next older one is tried. */
@Timeout(120)
class PoolFoldTest {

    private static final PoolId POOL = new PoolId("public");

    private final PoolCore core = core();
    private final byte[] body = SnapshotCodec.encode(core.snapshot());

    @Test
    void restoresWhatWasWritten() throws InterruptedException {
        PoolFold state = restored(new ByteArrayInputStream(body));
        assertThat(requireNonNull(state).core().stateHash()).isEqualTo(core.stateHash());
    }

    @Test
    void passesOverASnapshotWhoseReadingEndsInAnError() throws InterruptedException {
        for (int at = 0; at < body.length; at++) {
            assertThat(restored(failing(at, new OutOfMemoryError("planned")))).isNull();
            assertThat(restored(failing(at, new StackOverflowError("planned")))).isNull();
        }
        assertThat(restored(failing(body.length - 1, new AssertionError("planned")))).isNull();
        assertThat(restored(failing(body.length - 1, new ArithmeticException("planned")))).isNull();
    }

    @Test
    void doesNotWaitForAReaderThatEndedWithoutAWord() throws InterruptedException {
        // an interrupted reader has no way to say so
        Thread caller = Thread.currentThread();
        InputStream interrupting =
                new At(
                        body.length - 1,
                        () -> {
                            if (Thread.currentThread() != caller) {
                                Thread.currentThread().interrupt();
                            }
                        });
        assertThat(restored(interrupting)).isNull();
    }

    private InputStream failing(int at, Throwable failure) {
        return new At(
                at,
                () -> {
                    if (failure instanceof Error error) {
                        throw error;
                    }
                    throw (RuntimeException) failure;
                });
    }

    /** Does something as soon as a byte is to be read. */
    private final class At extends InputStream {
        private final int at;
        private final Runnable what;
        private int next;

        At(int at, Runnable what) {
            this.at = at;
            this.what = what;
        }

        @Override
        public int read() {
            if (next == at) {
                what.run();
            }
            return next == body.length ? -1 : body[next++] & 0xFF;
        }

        @Override
        public int read(byte[] to, int offset, int length) {
            int taken = 0;
            while (taken < length) {
                int one = read();
                if (one < 0) {
                    return taken == 0 ? -1 : taken;
                }
                to[offset + taken++] = (byte) one;
            }
            return taken;
        }
    }

    private @Nullable PoolFold restored(InputStream source) throws InterruptedException {
        StoredSnapshot stored =
                new StoredSnapshot(
                        core.seq(), core.stateHash(), Map.of(), JournalRow.CODE_VERSION, null);
        return PoolFold.restored(POOL, stored, () -> source, PoolContext.coreSettings());
    }

    private static PoolCore core() {
        PoolCore core = PoolCore.empty(POOL, PoolContext.coreSettings());
        Ask ask =
                new Ask(
                        new JobId(1, 2),
                        new ProjectId("vision"),
                        new QueueId("default"),
                        1,
                        1,
                        "",
                        new Resources(1000, 1024, 0),
                        0);
        core.decide(
                List.of(
                        new Input.Delivered(
                                new LaneId("gateway/g/public"),
                                1,
                                new Command.SubmitJob(ask, "job", "ab".repeat(32), 1)),
                        new Input.Tick(1)));
        return core;
    }
}
