package dev.muster.scheduler;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Objects;
import java.util.Optional;

/** The bytes of a snapshot that lies in parts; the next part is on its way while one is read. */
final class SnapshotParts extends InputStream {

    private final SnapshotStore store;
    private final long seq;
    private byte[] part = {};
    private int at;
    private int next;
    private Future<Optional<Buffer>> coming;
    private boolean ended;

    SnapshotParts(SnapshotStore store, long seq) {
        this.store = store;
        this.seq = seq;
        this.coming = store.readPart(seq, next++);
    }

    @Override
    public int read() throws IOException {
        return atEnd() ? -1 : part[at++] & 0xFF;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, to.length);
        if (length == 0) {
            return 0;
        }
        if (atEnd()) {
            return -1;
        }
        int count = Math.min(length, part.length - at);
        System.arraycopy(part, at, to, offset, count);
        at += count;
        return count;
    }

    private boolean atEnd() throws IOException {
        while (at == part.length && !ended) {
            Optional<Buffer> found = awaited();
            ended = found.isEmpty();
            part = found.map(Buffer::getBytes).orElse(new byte[0]);
            at = 0;
            if (!ended) {
                coming = store.readPart(seq, next++);
            }
        }
        return at == part.length;
    }

    private Optional<Buffer> awaited() throws IOException {
        try {
            return Awaited.get(coming);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a snapshot was read");
        }
    }
}
