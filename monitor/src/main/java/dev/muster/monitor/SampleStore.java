package dev.muster.monitor;

import dev.muster.domain.JobId;
import dev.muster.domain.PoolId;
import dev.muster.platform.kafka.ProgressRecord.Signal;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** One row a job and minute; a minute that is stored twice is the later one. */
final class SampleStore {

    /**
     * What a job's instances said last.
     *
     * @param silentMillis the shortest silence among them
     * @param step the highest one, −1 for none
     */
    record Sample(
            JobId job,
            int attempt,
            int instances,
            long logBytes,
            long ioBytes,
            long silentMillis,
            long step) {

        static Sample of(LiveJob job) {
            List<Signal> heard =
                    job.instances().stream()
                            .map(LiveInstance::signal)
                            .filter(java.util.Objects::nonNull)
                            .toList();
            return new Sample(
                    job.id(),
                    job.attempt(),
                    heard.size(),
                    heard.stream().mapToLong(Signal::logBytes).sum(),
                    heard.stream().mapToLong(Signal::ioBytes).sum(),
                    heard.stream().mapToLong(Signal::silentMillis).min().orElse(0),
                    heard.stream().mapToLong(Signal::step).max().orElse(-1));
        }
    }

    private final Database database;
    private final String pool;

    SampleStore(Database database, PoolId pool) {
        this.database = database;
        this.pool = pool.value();
    }

    /** Jobs of which something was heard. */
    static List<Sample> of(Collection<LiveJob> jobs) {
        return jobs.stream().map(Sample::of).filter(sample -> sample.instances() > 0).toList();
    }

    Future<Void> store(long nowMillis, List<Sample> samples) {
        return database.query(
                        """
                        INSERT INTO monitor.sample (pool, minute, job, attempt, instances,
                          log_bytes, io_bytes, silent_millis, step)
                        SELECT $1, $2, * FROM unnest($3::uuid[], $4::int[], $5::int[],
                          $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
                        ON CONFLICT (job, minute) DO UPDATE SET
                          attempt = excluded.attempt, instances = excluded.instances,
                          log_bytes = excluded.log_bytes, io_bytes = excluded.io_bytes,
                          silent_millis = excluded.silent_millis, step = excluded.step\
                        """,
                        Tuple.of(
                                        pool,
                                        TimeUnit.MILLISECONDS.toMinutes(nowMillis),
                                        column(samples, s -> s.job().uuid(), UUID[]::new),
                                        column(samples, Sample::attempt, Integer[]::new),
                                        column(samples, Sample::instances, Integer[]::new),
                                        column(samples, Sample::logBytes, Long[]::new))
                                .addArrayOfLong(column(samples, Sample::ioBytes, Long[]::new))
                                .addArrayOfLong(column(samples, Sample::silentMillis, Long[]::new))
                                .addArrayOfLong(column(samples, Sample::step, Long[]::new)))
                .mapEmpty();
    }

    private static <T> T[] column(
            List<Sample> samples,
            Function<Sample, T> field,
            java.util.function.IntFunction<T[]> array) {
        return samples.stream().map(field).toArray(array);
    }

    /** Deletes samples of minutes that ended before this time. */
    Future<Void> forget(long beforeMillis) {
        return database.query(
                        "DELETE FROM monitor.sample WHERE pool = $1 AND minute < $2",
                        Tuple.of(pool, TimeUnit.MILLISECONDS.toMinutes(beforeMillis)))
                .mapEmpty();
    }
}
