package dev.muster.gateway;

import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;

import java.util.HexFormat;
import java.util.List;
import java.util.UUID;

/**
 * The one statement of acceptance: it checks that the lane is still ours, lets the idempotency keys
 * decide which submissions are new, gives each of those the next place on the lane, and writes its
 * specification and its view row. Where the epoch is not ours, it writes nothing and returns no
 * row.
 *
 * <p>Keys are inserted in order, so that two gateways with the same keys wait for one another
 * instead of blocking one another.
 */
final class AcceptStatement {

    static final String SQL =
            """
            WITH fence AS (
                SELECT id, n FROM gateway.lane_head WHERE id = $1 AND epoch = $2 FOR UPDATE
            ), asked AS (
                SELECT * FROM unnest(
                    $4::uuid[], $5::text[], $6::text[], $7::bigint[], $8::bytea[], $9::bytea[],
                    $10::text[], $11::text[], $12::int[], $13::int[], $14::int[])
                WITH ORDINALITY AS a(
                    job, project, key, at_ms, spec_hash, spec, name, queue, priority, instances,
                    accelerators, ord)
            ), keyed AS (
                INSERT INTO gateway.idempotency (project, key, job, spec_hash)
                SELECT project, key, job, spec_hash FROM asked, fence
                WHERE key IS NOT NULL ORDER BY project, key, ord
                ON CONFLICT DO NOTHING
                RETURNING job
            ), fresh AS (
                SELECT a.*, fence.id AS lane, fence.n + row_number() OVER (ORDER BY a.ord) AS n
                FROM asked a, fence
                WHERE a.key IS NULL OR a.job IN (SELECT job FROM keyed)
            ), advanced AS (
                UPDATE gateway.lane_head SET n = n + (SELECT count(*) FROM fresh)
                WHERE id = $1 AND epoch = $2
            ), specs AS (
                INSERT INTO gateway.job_spec
                    (job, lane, n, project, accepted_at_ms, spec_hash, spec)
                SELECT job, lane, n, project, at_ms, spec_hash, spec FROM fresh
            ), views AS (
                INSERT INTO gateway.job_view
                    (job, submitted_at_ms, priority, instances, accelerators, pool, project, queue,
                     name)
                SELECT job, at_ms, priority, instances, accelerators, $3, project, queue, name
                FROM fresh
            )
            SELECT fresh.job, fresh.n FROM fence LEFT JOIN fresh ON true\
            """;

    private AcceptStatement() {}

    static Tuple parameters(LaneStore.Head head, String pool, List<LaneItem.Submission> batch) {
        int size = batch.size();
        UUID[] jobs = new UUID[size];
        String[] projects = new String[size];
        String[] keys = new String[size];
        Long[] times = new Long[size];
        Buffer[] hashes = new Buffer[size];
        Buffer[] specs = new Buffer[size];
        String[] names = new String[size];
        String[] queues = new String[size];
        Integer[] priorities = new Integer[size];
        Integer[] instances = new Integer[size];
        Integer[] accelerators = new Integer[size];
        for (int i = 0; i < size; i++) {
            LaneItem.Submission each = batch.get(i);
            jobs[i] = each.command().ask().job().uuid();
            projects[i] = each.spec().project().value();
            keys[i] = each.key();
            times[i] = each.command().acceptedAtMillis();
            hashes[i] = Buffer.buffer(HexFormat.of().parseHex(each.command().specHash()));
            specs[i] = Buffer.buffer(each.canonical());
            names[i] = each.spec().name();
            queues[i] = each.spec().queue().value();
            priorities[i] = each.spec().priority();
            instances[i] = each.spec().instances();
            accelerators[i] = each.spec().resources().amount().acceleratorThousandths();
        }
        return Tuple.tuple()
                .addInteger(head.id())
                .addLong(head.epoch())
                .addString(pool)
                .addArrayOfUUID(jobs)
                .addArrayOfString(projects)
                .addArrayOfString(keys)
                .addArrayOfLong(times)
                .addArrayOfBuffer(hashes)
                .addArrayOfBuffer(specs)
                .addArrayOfString(names)
                .addArrayOfString(queues)
                .addArrayOfInteger(priorities)
                .addArrayOfInteger(instances)
                .addArrayOfInteger(accelerators);
    }
}
