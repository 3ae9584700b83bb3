package dev.muster.executor;

import dev.muster.domain.JobId;
import dev.muster.executor.Reconciler.Found;
import dev.muster.platform.codec.JobSpecJson;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Specifications by job and hash. Many are fetched in one statement; some are kept, since the
 * instances of a gang need the same. Of the term's thread.
 */
final class SpecStore implements Reconciler.Specs {

    private static final Logger LOG = LoggerFactory.getLogger(SpecStore.class);
    private static final int FETCH = 256;
    private static final int KEPT = 1024;
    private static final long RETRY_MILLIS = 500;

    private final Vertx vertx;
    private final Database database;
    private final Executor loop;
    private final Consumer<JobId> arrived;

    /** Job to expected hash, in order of asking. */
    private final Map<JobId, String> wanted = new LinkedHashMap<>();

    private final Map<JobId, Found> kept =
            new LinkedHashMap<>(64, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<JobId, Found> eldest) {
                    return size() > KEPT;
                }
            };

    private boolean fetching;
    private boolean troubled;

    /**
     * @param arrived is told on the loop of each specification that was wanted
     */
    SpecStore(Vertx vertx, Database database, Executor loop, Consumer<JobId> arrived) {
        this.vertx = vertx;
        this.database = database;
        this.loop = loop;
        this.arrived = arrived;
    }

    @Override
    public @Nullable Found get(JobId job, String hash) {
        Found found = kept.get(job);
        if (found == null) {
            wanted.put(job, hash);
        }
        return found;
    }

    @Override
    public void fetch() {
        if (fetching || wanted.isEmpty()) {
            return;
        }
        fetching = true;
        Map<JobId, String> batch = new HashMap<>();
        Iterator<Map.Entry<JobId, String>> each = wanted.entrySet().iterator();
        while (each.hasNext() && batch.size() < FETCH) {
            Map.Entry<JobId, String> next = each.next();
            batch.put(next.getKey(), next.getValue());
            each.remove();
        }
        read(batch);
    }

    private void read(Map<JobId, String> batch) {
        UUID[] ids = batch.keySet().stream().map(JobId::uuid).toArray(UUID[]::new);
        Future<Map<JobId, Found>> read =
                database.query(
                                "SELECT job, spec FROM gateway.pub_spec WHERE job = ANY($1)",
                                Tuple.of(ids))
                        .map(rows -> {
                            Map<JobId, Found> found = new HashMap<>();
                            for (Row row : rows) {
                                JobId job = JobId.of(row.getUUID("job"));
                                String hash = batch.getOrDefault(job, "");
                                found.put(job, decode(bytes(row), hash));
                            }
                            return found;
                        });
        read.onSuccess(found -> loop.execute(() -> keep(batch, found)))
                .onFailure(cause -> loop.execute(() -> again(batch, cause)));
    }

    private void keep(Map<JobId, String> batch, Map<JobId, Found> found) {
        troubled = false;
        fetching = false;
        List<JobId> jobs = new ArrayList<>(batch.keySet());
        for (JobId each : jobs) {
            kept.put(
                    each,
                    found.getOrDefault(
                            each, new Found.Broken("the job's specification is not stored")));
        }
        jobs.forEach(arrived);
        fetch();
    }

    private void again(Map<JobId, String> batch, Throwable cause) {
        if (!troubled) {
            troubled = true;
            LOG.warn("specifications cannot be read yet: {}", cause.getMessage());
        }
        vertx.setTimer(RETRY_MILLIS, _ -> loop.execute(() -> read(batch)));
    }

    private static byte[] bytes(Row row) {
        Object value = row.getValue("spec");
        return value instanceof Buffer buffer
                ? buffer.getBytes()
                : String.valueOf(value).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * @param hash that the journal has, empty if it has none
     */
    static Found decode(byte[] canonical, String hash) {
        if (!hash.isEmpty() && !hash.equals(JobSpecJson.hash(canonical))) {
            return new Found.Broken(
                    "the job's stored specification is not the one that was accepted: its hash"
                            + " differs");
        }
        try {
            return new Found.Spec(JobSpecJson.decode(canonical));
        } catch (IllegalArgumentException e) {
            return new Found.Broken(
                    "the job's stored specification cannot be read: " + e.getMessage());
        }
    }
}
