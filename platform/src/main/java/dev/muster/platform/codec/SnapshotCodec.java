package dev.muster.platform.codec;

import dev.muster.domain.JobBlock;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.PoolSnapshot;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A pool's snapshot as bytes, all at once: for those who hold all of it anyway. {@link
 * SnapshotWriter} and {@link SnapshotReader} do it piece by piece.
 */
public final class SnapshotCodec {

    private SnapshotCodec() {}

    public static byte[] encode(PoolSnapshot snapshot) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 16);
        SnapshotWriter writer = new SnapshotWriter(bytes::writeBytes);
        try {
            writer.begin(snapshot, snapshot.jobs().size());
            for (JobSnapshot each : snapshot.jobs()) {
                writer.add(each);
            }
            writer.end();
        } catch (InterruptedException e) {
            throw new IllegalStateException("memory does not interrupt", e);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads what any version has written.
     *
     * @throws Malformed if the bytes are not a snapshot
     */
    public static PoolSnapshot decode(byte[] data) {
        try {
            SnapshotReader reader = new SnapshotReader(new ByteArrayInputStream(data));
            List<JobSnapshot> jobs = new ArrayList<>();
            JobBlock some = reader.next();
            while (!some.isEmpty()) {
                jobs.addAll(some.jobs());
                some = reader.next();
            }
            return reader.around().withJobs(jobs);
        } catch (IOException e) {
            throw new Malformed("a snapshot", e);
        }
    }
}
