package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import dev.muster.domain.PoolId;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.scheduler.JournalReplay;

import io.vertx.sqlclient.Row;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/** Asks the scheduler that leads a pool for its own state. */
final class LeaderState {

    /** What the leader said. */
    record Seen(long seq, String hash) {

        boolean agrees(JournalReplay.Result journal) {
            return seq == journal.seq() && hash.equals(journal.stateHash());
        }

        List<String> differences(JournalReplay.Result journal) {
            if (agrees(journal)) {
                return List.of();
            }
            return List.of(
                    "the leader is at seq "
                            + seq
                            + " with state "
                            + hash
                            + ", the journal at "
                            + journal.seq()
                            + " with "
                            + journal.stateHash());
        }
    }

    private final OpenDirectory open;

    LeaderState(OpenDirectory open) {
        this.open = open;
    }

    /** Empty when no scheduler of the pool answers as its leader. */
    Optional<Seen> of(PoolId pool) {
        for (Row row :
                open.rows(
                        "SELECT url FROM platform.pub_service WHERE role = 'scheduler' AND live")) {
            Optional<Seen> seen = ask(URI.create(row.getString("url")), pool);
            if (seen.isPresent()) {
                return seen;
            }
        }
        return Optional.empty();
    }

    /** Empty for a standby, or one that is just ending. */
    private Optional<Seen> ask(URI url, PoolId pool) {
        try (ApiClient api =
                new ApiClient(url, open.settings().get(PlatformSettings.SERVICE_TOKEN))) {
            JsonNode state = api.get("/internal/v1/pools/" + pool + "/leader");
            return Optional.of(new Seen(state.path("seq").asLong(), state.path("hash").asText()));
        } catch (CommandFailure e) {
            return Optional.empty();
        }
    }
}
