package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import dev.muster.platform.codec.JournalBody;
import dev.muster.platform.journal.FactSource;
import dev.muster.platform.journal.JournalReader;

import io.vertx.core.Future;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/** Facts of a few types, as the journal has them. */
final class JournalFacts {

    private static final int PAGE_ROWS = 500;

    /** A fact about a job. */
    record Fact(long seq, String type, JsonNode data) {

        String job() {
            return data.path("job").asText();
        }

        @Override
        public String toString() {
            return type + " of job " + job() + " at seq " + seq;
        }
    }

    private JournalFacts() {}

    /**
     * @param await blocks for an answer
     */
    static void forEach(
            JournalReader journal,
            Set<String> types,
            Function<Future<List<FactSource.JournalRow>>, List<FactSource.JournalRow>> await,
            Consumer<Fact> visitor) {
        long seq = 0;
        while (true) {
            List<FactSource.JournalRow> rows = await.apply(journal.rowsAfter(seq, PAGE_ROWS));
            if (rows.isEmpty()) {
                return;
            }
            for (FactSource.JournalRow row : rows) {
                long of = row.firstSeq();
                for (JournalBody.RawEvent each : JournalBody.rawEvents(row.body())) {
                    if (types.contains(each.type())) {
                        String data = new String(each.data(), StandardCharsets.UTF_8);
                        visitor.accept(new Fact(of, each.type(), Documents.json(data)));
                    }
                    of++;
                }
            }
            seq = rows.getLast().lastSeq();
        }
    }
}
