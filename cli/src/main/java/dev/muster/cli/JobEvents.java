package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The gateway's event stream, followed over lost connections: each reconnect goes on behind the
 * last event seen, so that nothing is missed or seen twice.
 */
final class JobEvents {

    private static final int MAX_FRUITLESS_CONNECTS = 30;
    private static final long PAUSE_MILLIS = 1_000;

    private final ApiClient api;
    private final Optional<String> job;
    private Optional<String> cursor;

    JobEvents(ApiClient api, Optional<String> job, Optional<String> cursor) {
        this.api = api;
        this.job = job;
        this.cursor = cursor;
    }

    /** Hands each event over until the consumer answers false. */
    void follow(Predicate<JsonNode> consumer) {
        int fruitless = 0;
        while (true) {
            Optional<String> before = cursor;
            CommandFailure failure;
            try (BufferedReader lines = open()) {
                if (!read(lines, consumer)) {
                    return;
                }
                failure = new CommandFailure(ExitCodes.UNAVAILABLE, "the event stream ended");
            } catch (IOException e) {
                failure =
                        new CommandFailure(
                                ExitCodes.UNAVAILABLE, "the event stream broke: " + e.getMessage());
            } catch (CommandFailure e) {
                if (e.exitCode() != ExitCodes.UNAVAILABLE) {
                    throw e;
                }
                failure = e;
            }
            fruitless = before.equals(cursor) ? fruitless + 1 : 0;
            if (fruitless >= MAX_FRUITLESS_CONNECTS) {
                throw failure;
            }
            pause();
        }
    }

    private BufferedReader open() {
        Query query = new Query("/api/v1/events").with("job", job).with("after", cursor);
        return new BufferedReader(
                new InputStreamReader(api.stream(query.toString()), StandardCharsets.UTF_8));
    }

    /** False when the consumer has had enough. */
    private boolean read(BufferedReader lines, Predicate<JsonNode> consumer) throws IOException {
        StringBuilder data = new StringBuilder();
        String id = "";
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("id:")) {
                id = line.substring(3).strip();
            } else if (line.startsWith("data:")) {
                data.append(line.substring(5).strip());
            } else if (line.isEmpty() && !data.isEmpty()) {
                boolean more = consumer.test(Documents.json(data.toString()));
                cursor = Optional.of(id);
                data.setLength(0);
                if (!more) {
                    return false;
                }
            }
        }
        return true;
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitCodes.FAILED, "interrupted");
        }
    }
}
