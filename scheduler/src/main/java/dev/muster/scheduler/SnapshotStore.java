package dev.muster.scheduler;

import dev.muster.domain.PoolId;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

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

    /** Writes one and forgets all but the newest. */
    Future<Void> write(StoredSnapshot snapshot, int keep) {
        return database.query(
                        """
                        INSERT INTO scheduler.snapshot
                          (pool, seq, state_hash, positions, body, code_version)
                        VALUES ($1, $2, $3, $4::text::jsonb, $5, $6)
                        ON CONFLICT (pool, seq) DO UPDATE SET
                          state_hash = excluded.state_hash, positions = excluded.positions,
                          body = excluded.body, code_version = excluded.code_version\
                        """,
                        Tuple.of(
                                pool.value(),
                                snapshot.seq(),
                                Buffer.buffer(snapshot.stateHash()),
                                LaneVector.write(snapshot.positions()),
                                Buffer.buffer(snapshot.body()),
                                snapshot.codeVersion()))
                .compose(_ -> prune(keep));
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

    /** Seqs of what is there, the newest first. */
    Future<List<Long>> seqs() {
        return database.query(
                        "SELECT seq FROM scheduler.pub_snapshot WHERE pool = $1 ORDER BY seq DESC",
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
                        FROM scheduler.pub_snapshot WHERE pool = $1 AND seq = $2\
                        """,
                        Tuple.of(pool.value(), seq))
                .map(rows -> {
                    for (Row row : rows) {
                        return Optional.of(stored(row));
                    }
                    return Optional.empty();
                });
    }

    private static StoredSnapshot stored(Row row) {
        return new StoredSnapshot(
                row.getLong("seq"),
                row.getBuffer("state_hash").getBytes(),
                LaneVector.read(row.getString("positions")),
                row.getBuffer("body").getBytes(),
                row.getInteger("code_version"));
    }
}
