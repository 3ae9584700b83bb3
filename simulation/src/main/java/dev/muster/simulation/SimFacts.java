package dev.muster.simulation;

import dev.muster.domain.PoolSnapshot;
import dev.muster.platform.codec.SnapshotCodec;
import dev.muster.platform.journal.FactSource;
import dev.muster.scheduler.StoredSnapshot;

import io.vertx.core.Future;

import java.util.List;
import java.util.Optional;

/** The durable side of the pool's facts, as a process reads it. */
final class SimFacts implements FactSource {

    private final SimProcess process;
    private final SimDatabase database;

    SimFacts(SimProcess process) {
        this.process = process;
        this.database = process.world.database;
    }

    @Override
    public Future<Optional<PoolSnapshot>> snapshot() {
        return database.execute(process, "facts.snapshot", database.journal::snapshots)
                .map(found ->
                        found.stream()
                                .findFirst()
                                .map(StoredSnapshot::whole)
                                .map(SnapshotCodec::decode));
    }

    @Override
    public Future<List<JournalRow>> rowsAfter(long seq, int atMost) {
        return database.execute(process, "facts.read", () -> database.journal.after(seq))
                .map(rows ->
                        rows.stream()
                                .limit(atMost)
                                .map(each ->
                                        new JournalRow(
                                                each.firstSeq(), each.lastSeq(), each.body()))
                                .toList());
    }

    @Override
    public Future<Long> headSeq() {
        return database.execute(process, "facts.head", () -> database.journal.head().seq());
    }
}
