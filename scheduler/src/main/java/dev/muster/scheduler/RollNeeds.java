package dev.muster.scheduler;

import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;

import java.util.ArrayList;
import java.util.List;

/** Who still reads a pool's rows from PostgreSQL, as a rule: rolled ones are read more slowly. */
final class RollNeeds {

    /** Asks for rows about the pool, its only parameter. */
    @FunctionalInterface
    interface Question {
        RowSet<Row> rows(String sql) throws InterruptedException;
    }

    private RollNeeds() {}

    /**
     * @param last seq of a row
     * @return a sentence for each who has not passed it
     */
    static List<String> of(Question question, long last) throws InterruptedException {
        List<String> needs = new ArrayList<>();
        String snapshots =
                "SELECT COALESCE(max(seq), 0) AS seq FROM scheduler.snapshot WHERE pool = $1";
        behind(question.rows(snapshots), last, "its newest snapshot", needs);
        if (there(question, "gateway.pub_view_position")) {
            String views =
                    "SELECT COALESCE(min(seq), 0) AS seq FROM gateway.pub_view_position WHERE pool"
                            + " = $1";
            behind(question.rows(views), last, "the read model", needs);
        }
        if (there(question, "notifier.pub_position")) {
            // a pool that no notifier has looked at yet is told of from its end on
            String told =
                    "SELECT COALESCE(min(seq), 9223372036854775807) AS seq FROM"
                            + " notifier.pub_position WHERE pool = $1";
            behind(question.rows(told), last, "the notifier", needs);
        }
        return needs;
    }

    private static boolean there(Question question, String view) throws InterruptedException {
        String sql =
                "SELECT $1::text FROM (SELECT to_regclass('"
                        + view
                        + "') AS it) AS found"
                        + " WHERE it IS NOT NULL";
        return question.rows(sql).size() > 0;
    }

    private static void behind(RowSet<Row> rows, long last, String who, List<String> needs) {
        for (Row row : rows) {
            long seq = row.getLong("seq");
            if (seq < last) {
                needs.add(who + " is at " + seq + ", the week ends at " + last);
            }
        }
    }
}
