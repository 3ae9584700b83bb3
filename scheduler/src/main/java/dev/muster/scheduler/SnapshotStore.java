package dev.muster.scheduler;

import dev.muster.domain.PoolId;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A pool's snapshots in PostgreSQL: only a shorter way, never the truth. */
final class SnapshotStore {

    private final Database database;
    private final PoolId pool;

    SnapshotStore(Database database, PoolId pool) {
        this.database = database;
        this.pool = pool;
    }

    /** Writes a part of a snapshot that nobody sees before {@link #publish}. */
    Future<Void> writePart(long seq, int n, Buffer body) {
        return database.query(
                        """
                        INSERT INTO scheduler.snapshot_part (pool, seq, n, body)
                        VALUES ($1, $2, $3, $4)
                        ON CONFLICT (pool, seq, n) DO UPDATE SET body = excluded.body\
                        """,
                        Tuple.of(pool.value(), seq, n, body))
                .mapEmpty();
    }

    /** The bytes of what was read, wherever they lie. */
    InputStream body(StoredSnapshot snapshot) {
        byte[] whole = snapshot.body();
        return whole == null
                ? new SnapshotParts(this, snapshot.seq())
                : new ByteArrayInputStream(whole);
    }

    /** A part, empty behind the last one. */
    Future<Optional<Buffer>> readPart(long seq, int n) {
        return database.query(
                        """
                        SELECT body FROM scheduler.snapshot_part
                        WHERE pool = $1 AND seq = $2 AND n = $3\
                        """,
                        Tuple.of(pool.value(), seq, n))
                .map(rows -> {
                    for (Row row : rows) {
                        return Optional.of(row.getBuffer("body"));
                    }
                    return Optional.empty();
                });
    }

    /** Makes the parts a snapshot and forgets all but the newest. */
    Future<Void> publish(StoredSnapshot label, long tookMillis, int keep) {
        return database.query(
                        """
                        INSERT INTO scheduler.snapshot
                          (pool, seq, state_hash, positions, code_version, took_ms)
                        VALUES ($1, $2, $3, $4::text::jsonb, $5, $6)
                        ON CONFLICT (pool, seq) DO UPDATE SET
                          state_hash = excluded.state_hash, positions = excluded.positions,
                          body = NULL, code_version = excluded.code_version,
                          took_ms = excluded.took_ms\
                        """,
                        Tuple.of(
                                pool.value(),
                                label.seq(),
                                Buffer.buffer(label.stateHash()),
                                LaneVector.write(label.positions()),
                                label.codeVersion(),
                                tookMillis))
                .compose(_ -> prune(keep))
                .compose(_ -> pruneParts());
    }

    private Future<Void> prune(int keep) {
        return database.query(
                        """
                        DELETE FROM scheduler.snapshot WHERE pool = $1 AND seq NOT IN (
                          SELECT seq FROM scheduler.snapshot
                          WHERE pool = $1 ORDER BY seq DESC LIMIT $2)\
                        """,
                        Tuple.of(pool.value(), keep))
                .mapEmpty();
    }

    /** Those of forgotten snapshots, and of such that were never finished. */
    private Future<Void> pruneParts() {
        return database.query(
                        """
                        DELETE FROM scheduler.snapshot_part p WHERE pool = $1
                          AND seq < (SELECT max(seq) FROM scheduler.snapshot WHERE pool = $1)
                          AND NOT EXISTS (
                            SELECT FROM scheduler.snapshot s
                            WHERE s.pool = p.pool AND s.seq = p.seq)\
                        """,
                        Tuple.of(pool.value()))
                .mapEmpty();
    }

    /** Seqs of what is there, the newest first. */
    Future<List<Long>> seqs() {
        return database.query(
                        "SELECT seq FROM scheduler.snapshot WHERE pool = $1 ORDER BY seq DESC",
                        Tuple.of(pool.value()))
                .map(rows -> {
                    List<Long> seqs = new ArrayList<>();
                    rows.forEach(row -> seqs.add(row.getLong("seq")));
                    return seqs;
                });
    }

    /** Empty if it was forgotten meanwhile. */
    Future<Optional<StoredSnapshot>> read(long seq) {
        return database.query(
                        """
                        SELECT seq, state_hash, positions::text AS positions, body, code_version
                        FROM scheduler.snapshot WHERE pool = $1 AND seq = $2\
                        """,
                        Tuple.of(pool.value(), seq))
                .map(rows -> {
                    for (Row row : rows) {
                        return Optional.of(label(row));
                    }
                    return Optional.empty();
                });
    }

    private static StoredSnapshot label(Row row) {
        Buffer body = row.getBuffer("body");
        return new StoredSnapshot(
                row.getLong("seq"),
                row.getBuffer("state_hash").getBytes(),
                LaneVector.read(row.getString("positions")),
                row.getInteger("code_version"),
                body == null ? null : body.getBytes());
    }
}
