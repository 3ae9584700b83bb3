package dev.muster.platform.observe;

import io.vertx.core.Future;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Whether this process can do its work: each part registers a check. */
public final class Health {

    private static final long CHECK_MILLIS = 2000;

    /**
     * Result of one check.
     *
     * @param problem one sentence, empty when all is well
     */
    public record Status(String part, String problem) {
        public boolean well() {
            return problem.isEmpty();
        }
    }

    private final Map<String, Supplier<Future<Void>>> checks = new ConcurrentSkipListMap<>();

    /** The check fails with a message for people when the part cannot work. */
    public void check(String part, Supplier<Future<Void>> check) {
        checks.put(part, check);
    }

    public void remove(String part) {
        checks.remove(part);
    }

    /** Every check's result, in order of name; never fails. One that takes over 2 s has failed. */
    public Future<List<Status>> statuses() {
        List<Future<Status>> all = new ArrayList<>();
        checks.forEach((part, check) -> all.add(status(part, check)));
        return Future.join(all)
                .map(_ -> all.stream().map(Future::result).toList())
                .otherwise(List.of());
    }

    private static Future<Status> status(String part, Supplier<Future<Void>> check) {
        Future<Void> result;
        try {
            result = check.get();
        } catch (RuntimeException e) {
            result = Future.failedFuture(e);
        }
        return result.timeout(CHECK_MILLIS, TimeUnit.MILLISECONDS)
                .map(_ -> new Status(part, ""))
                .otherwise(cause -> new Status(part, String.valueOf(cause.getMessage())));
    }
}
