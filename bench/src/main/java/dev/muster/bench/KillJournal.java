package dev.muster.bench;

import dev.muster.embedded.PostgresConnection;
import dev.muster.platform.codec.JournalBody;

import io.vertx.core.json.JsonObject;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the journal says of each job, read on from where the last look ended. */
final class KillJournal {

    private static final int PAGE_ROWS = 500;
    private static final String ROWS =
            "SELECT pool, first_seq, last_seq, body FROM scheduler.pub_journal WHERE first_seq > ?"
                    + " ORDER BY first_seq LIMIT "
                    + PAGE_ROWS;

    /** Of one job. */
    static final class Story {
        private int submitted;
        private int ends;
        private String state = "LIVE";
        private final List<Integer> granted = new ArrayList<>();

        /** How often it was submitted. */
        int submitted() {
            return submitted;
        }

        /** How often it ended. */
        int ends() {
            return ends;
        }

        /** Its last end. */
        String state() {
            return state;
        }

        /** Of each attempt, how many instances it was granted. */
        List<Integer> granted() {
            return granted;
        }
    }

    private final Map<String, Story> stories = new HashMap<>();
    private final Set<String> toTell = new HashSet<>();
    private final Set<String> told = new HashSet<>();
    private long seq;

    /**
     * @param told types of events whose ids are kept
     */
    KillJournal(Set<String> told) {
        this.told.addAll(told);
    }

    void readOn(PostgresConnection postgres) {
        try (Connection connection =
                        DriverManager.getConnection(
                                postgres.jdbcUrl(), postgres.user(), postgres.password());
                PreparedStatement statement = connection.prepareStatement(ROWS)) {
            while (page(statement)) {
                // the next one
            }
        } catch (SQLException e) {
            throw new BenchFailed("PostgreSQL does not answer: " + e.getMessage(), e);
        }
    }

    private boolean page(PreparedStatement statement) throws SQLException {
        statement.setLong(1, seq);
        boolean any = false;
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                any = true;
                long of = rows.getLong("first_seq");
                for (JournalBody.RawEvent each : JournalBody.rawEvents(rows.getBytes("body"))) {
                    take(
                            rows.getString("pool") + "-" + of,
                            each.type(),
                            new JsonObject(new String(each.data(), StandardCharsets.UTF_8)));
                    of++;
                }
                seq = rows.getLong("last_seq");
            }
        }
        return any;
    }

    private void take(String id, String type, JsonObject data) {
        if (told.contains(type)) {
            toTell.add(id);
        }
        switch (type) {
            case "JobSubmitted" -> story(data.getJsonObject("ask").getString("job")).submitted++;
            case "GangGranted" ->
                    story(data.getString("job"))
                            .granted
                            .add(data.getJsonArray("placements").size());
            case "JobSucceeded", "JobFailed", "JobStopped" -> {
                Story story = story(data.getString("job"));
                story.ends++;
                story.state = type.substring("Job".length()).toUpperCase(java.util.Locale.ROOT);
            }
            default -> {
                // nothing that is counted
            }
        }
    }

    private Story story(String job) {
        return stories.computeIfAbsent(job, _ -> new Story());
    }

    /** By job. */
    Map<String, Story> stories() {
        return stories;
    }

    /** Ids of the events that receivers are to be told. */
    Set<String> toTell() {
        return toTell;
    }
}
