package dev.muster.platform.journal;

import dev.muster.domain.PoolId;
import dev.muster.domain.PoolSnapshot;
import dev.muster.platform.codec.JournalPart;
import dev.muster.platform.codec.Malformed;
import dev.muster.platform.codec.SnapshotCodec;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads what the pool's scheduler publishes in PostgreSQL: the durable side of its events. */
public final class JournalReader implements FactSource {

    private static final Logger LOG = LoggerFactory.getLogger(JournalReader.class);

    private static final RolledJournal.Form<FactSource.JournalRow> FORM =
            new RolledJournal.Form<>() {
                @Override
                public long firstSeq(FactSource.JournalRow row) {
                    return row.firstSeq();
                }

                @Override
                public long lastSeq(FactSource.JournalRow row) {
                    return row.lastSeq();
                }

                @Override
                public FactSource.JournalRow of(JournalPart.Row row) {
                    return new FactSource.JournalRow(row.firstSeq(), row.lastSeq(), row.body());
                }
            };

    private final Vertx vertx;
    private final Database database;
    private final PoolId id;
    private final String pool;
    private final RolledJournal rolled;

    public JournalReader(Vertx vertx, Database database, PoolId pool) {
        this.vertx = vertx;
        this.database = database;
        this.id = pool;
        this.pool = pool.value();
        this.rolled = new RolledJournal(database);
    }

    @Override
    public Future<Optional<PoolSnapshot>> snapshot() {
        return snapshotBefore(Long.MAX_VALUE);
    }

    private Future<Optional<PoolSnapshot>> snapshotBefore(long seq) {
        return database.query(
                        """
                        SELECT seq, body FROM scheduler.pub_snapshot
                        WHERE pool = $1 AND seq < $2 ORDER BY seq DESC LIMIT 1\
                        """,
                        Tuple.of(pool, seq))
                .compose(rows -> {
                    for (Row row : rows) {
                        byte[] body = row.getBuffer("body").getBytes();
                        return decoded(row.getLong("seq"), body);
                    }
                    return Future.succeededFuture(Optional.empty());
                });
    }

    private Future<Optional<PoolSnapshot>> decoded(long seq, byte[] body) {
        return vertx.executeBlocking(() -> SnapshotCodec.decode(body), false)
                .map(Optional::of)
                .recover(cause -> {
                    if (!(cause instanceof Malformed)) {
                        return Future.failedFuture(cause);
                    }
                    LOG.warn("the snapshot at {} is passed over: {}", seq, cause.toString());
                    return snapshotBefore(seq);
                });
    }

    @Override
    public Future<List<FactSource.JournalRow>> rowsAfter(long seq, int atMost) {
        return database.query(
                        """
                        SELECT first_seq, last_seq, body FROM scheduler.pub_journal
                        WHERE pool = $1 AND last_seq > $2 ORDER BY last_seq LIMIT $3\
                        """,
                        Tuple.of(pool, seq, atMost))
                .map(rows -> {
                    List<FactSource.JournalRow> found = new ArrayList<>();
                    for (Row row : rows) {
                        found.add(
                                new FactSource.JournalRow(
                                        row.getLong("first_seq"),
                                        row.getLong("last_seq"),
                                        row.getBuffer("body").getBytes()));
                    }
                    return found;
                })
                .compose(found -> rolled.completed(id, seq, found, atMost, FORM));
    }

    @Override
    public Future<Long> headSeq() {
        return database.query(
                        "SELECT seq FROM scheduler.pub_pool_head WHERE pool = $1", Tuple.of(pool))
                .map(rows -> {
                    long seq = 0;
                    for (Row row : rows) {
                        seq = row.getLong("seq");
                    }
                    return seq;
                });
    }
}
