package dev.muster.executor;

import dev.muster.domain.JobId;
import dev.muster.domain.PoolId;
import dev.muster.platform.kafka.ProgressRecord;
import dev.muster.platform.kafka.RecordProducer;

import io.vertx.core.Future;
import io.vertx.core.Vertx;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sends what is heard of the instances: of all that run at an interval, of a job at once when one
 * of its instances cannot wait. Observations: what is lost comes again with the next interval. Of
 * the term's thread.
 */
final class ProgressSender {

    private static final Logger LOG = LoggerFactory.getLogger(ProgressSender.class);

    /** Where the signals go. */
    record Means(
            Vertx vertx,
            RecordProducer producer,
            InstantSource clock,
            PoolId pool,
            String topic,
            int partition) {}

    private final Means means;
    private final long shardEpoch;
    private final BackendSession session;

    /** By job, those that cannot wait, as they were told, and the newest of the others. */
    private final Map<JobId, List<ProgressRecord.Signal>> urgent = new HashMap<>();

    private volatile boolean looking;

    ProgressSender(Means means, long shardEpoch, BackendSession session) {
        this.means = means;
        this.shardEpoch = shardEpoch;
        this.session = session;
    }

    /** Sends the signals of all that run, unless the last look is still under way. */
    void all() {
        if (looking) {
            return;
        }
        looking = true;
        means.vertx
                .executeBlocking(session::signals, false)
                .onComplete(_ -> looking = false)
                .onSuccess(this::send)
                .onFailure(cause -> LOG.warn("signals cannot be read: {}", cause.toString()));
    }

    /** Takes a signal that goes out with the next {@link #flush}. */
    void add(ProgressRecord.Signal signal) {
        urgent.computeIfAbsent(signal.instance().job(), _ -> new ArrayList<>()).add(signal);
    }

    /** Sends what cannot wait, with all that is known of the same jobs. */
    void flush() {
        if (urgent.isEmpty()) {
            return;
        }
        List<ProgressRecord.Signal> rows = new ArrayList<>();
        urgent.forEach((job, told) -> {
            rows.addAll(told);
            for (ProgressRecord.Signal each : session.signals(job)) {
                if (told.stream().noneMatch(t -> t.instance().equals(each.instance()))) {
                    rows.add(each);
                }
            }
        });
        urgent.clear();
        send(rows);
    }

    private void send(Collection<ProgressRecord.Signal> rows) {
        List<ProgressRecord.Signal> all = List.copyOf(rows);
        for (int from = 0; from < all.size(); from += ProgressRecord.MAX_SIGNALS) {
            int to = Math.min(all.size(), from + ProgressRecord.MAX_SIGNALS);
            ProgressRecord record =
                    new ProgressRecord(
                            means.pool, shardEpoch, means.clock.millis(), all.subList(from, to));
            Future<?> sent = means.producer.send(record.toKafka(means.topic, means.partition));
            sent.onFailure(cause -> LOG.debug("signals were not sent", cause));
        }
    }
}
