package dev.muster.notifier;

import dev.muster.platform.kafka.EventRecord;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Who gets what, and how it is signed. Replaced as a whole when it changes. */
final class Subscription {

    /**
     * What selects events.
     *
     * @param job of which alone; null for all of the project
     * @param types by name; empty for all
     * @param since by pool: the seq from which on
     */
    record Scope(String project, @Nullable String job, Set<String> types, Map<String, Long> since) {
        Scope {
            types = Set.copyOf(types);
            since = Map.copyOf(since);
        }

        boolean takes(EventRecord event) {
            return (types.isEmpty() || types.contains(event.type()))
                    && event.seq() > since.getOrDefault(event.pool().value(), 0L)
                    && event.project().equals(project)
                    && (job == null || job.equals(event.job()));
        }
    }

    /** A key that signs until then; the current one for ever. */
    record Key(Signer signer, long untilMillis) {}

    private final UUID id;
    private final Scope scope;
    private final Endpoint endpoint;
    private final List<Key> keys;

    Subscription(UUID id, Scope scope, Endpoint endpoint, List<Key> keys) {
        this.id = id;
        this.scope = scope;
        this.endpoint = endpoint;
        this.keys = List.copyOf(keys);
    }

    UUID id() {
        return id;
    }

    Scope scope() {
        return scope;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    /** One signature for each key in force, as the header has them. */
    String signatures(String messageId, long nowMillis, byte[] body) {
        long seconds = nowMillis / 1000;
        if (keys.size() == 1) {
            return keys.getFirst().signer.sign(messageId, seconds, body);
        }
        StringBuilder all = new StringBuilder();
        for (Key each : keys) {
            if (each.untilMillis > nowMillis) {
                all.append(all.isEmpty() ? "" : " ");
                all.append(each.signer.sign(messageId, seconds, body));
            }
        }
        return all.toString();
    }
}
