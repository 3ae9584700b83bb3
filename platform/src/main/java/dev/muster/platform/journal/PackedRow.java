package dev.muster.platform.journal;

import dev.muster.platform.codec.JournalPart;

import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A row of the journal for who wants its events.
 *
 * @param body as {@code JournalBody} reads it
 */
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
public record PackedRow(long firstSeq, long lastSeq, long atMillis, byte[] body) {

    public static final RolledJournal.Form<PackedRow> FORM =
            new RolledJournal.Form<>() {
                @Override
                public long firstSeq(PackedRow row) {
                    return row.firstSeq();
                }

                @Override
                public long lastSeq(PackedRow row) {
                    return row.lastSeq();
                }

                @Override
                public PackedRow of(JournalPart.Row row) {
                    return new PackedRow(row.firstSeq(), row.lastSeq(), row.atMillis(), row.body());
                }
            };

    /** From the columns of its name. */
    public static List<PackedRow> of(RowSet<Row> rows) {
        List<PackedRow> packed = new ArrayList<>();
        for (Row row : rows) {
            packed.add(
                    new PackedRow(
                            row.getLong("first_seq"),
                            row.getLong("last_seq"),
                            row.getLong("at_ms"),
                            row.getBuffer("body").getBytes()));
        }
        return packed;
    }

    /** Of both lists; a row that is in both comes once. */
    public static List<PackedRow> inOrder(List<PackedRow> some, List<PackedRow> others) {
        if (some.isEmpty()) {
            return others;
        }
        SortedMap<Long, PackedRow> all = new TreeMap<>();
        some.forEach(row -> all.put(row.lastSeq(), row));
        others.forEach(row -> all.put(row.lastSeq(), row));
        return List.copyOf(all.values());
    }
}
