package dev.muster.simulation;

import dev.muster.platform.lease.Lease;

import io.vertx.core.Future;

import java.util.Optional;
import java.util.TreeMap;

/** Leases of executors and monitors, by the database's clock. */
final class LeaseTable {

    private static final class Row {
        String holder = "";
        long epoch;
        long until = Long.MIN_VALUE;
    }

    private final Clockwork clock;
    private final TreeMap<String, Row> rows = new TreeMap<>();

    LeaseTable(Clockwork clock) {
        this.clock = clock;
    }

    /** As one process asks for one of them. */
    static final class Client implements Lease {
        private final SimDatabase database;
        private final SimProcess process;
        private final String name;
        private final long leaseMillis;
        private long epoch = -1;

        Client(SimDatabase database, SimProcess process, String name, long leaseMillis) {
            this.database = database;
            this.process = process;
            this.name = name;
            this.leaseMillis = leaseMillis;
        }

        private Row row() {
            return database.leases.rows.computeIfAbsent(name, _ -> new Row());
        }

        private long now() {
            return database.leases.clock.now();
        }

        @Override
        public Future<Void> declare() {
            return Future.succeededFuture();
        }

        @Override
        public Future<Optional<Long>> take() {
            long own = epoch;
            return database.execute(process, "lease.take", () -> taken(own))
                    .map(taken -> {
                        taken.ifPresent(e -> epoch = e);
                        return taken;
                    });
        }

        private Optional<Long> taken(long own) {
            Row row = row();
            boolean mine = row.holder.equals(process.name) && (own < 0 || own == row.epoch);
            if (row.until >= now() && !mine) {
                return Optional.empty();
            }
            row.holder = process.name;
            row.epoch++;
            row.until = now() + leaseMillis;
            return Optional.of(row.epoch);
        }

        @Override
        public Future<Boolean> renew() {
            long own = epoch;
            return database.execute(
                    process,
                    "lease.renew",
                    () -> {
                        Row row = row();
                        boolean held = row.epoch == own;
                        row.until = held ? now() + leaseMillis : row.until;
                        return held;
                    });
        }

        @Override
        public Future<Void> release() {
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> close() {
            return Future.succeededFuture();
        }
    }
}
