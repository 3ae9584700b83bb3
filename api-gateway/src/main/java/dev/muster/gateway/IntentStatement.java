package dev.muster.gateway;

import dev.muster.platform.codec.Codec;

import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;

import java.util.List;

/**
 * Writes commands other than submissions, each at the next place of the lane, if it is still ours.
 */
final class IntentStatement {

    static final String SQL =
            """
            WITH fence AS (
                SELECT id, n FROM gateway.lane_head WHERE id = $1 AND epoch = $2 FOR UPDATE
            ), asked AS (
                SELECT * FROM unnest($3::text[], $4::bytea[]) WITH ORDINALITY AS a(type, body, ord)
            ), advanced AS (
                UPDATE gateway.lane_head SET n = n + (SELECT count(*) FROM asked)
                WHERE id = $1 AND epoch = $2
            ), written AS (
                INSERT INTO gateway.intent (lane, n, type, body)
                SELECT fence.id, fence.n + ord, type, body FROM asked, fence
            )
            SELECT n FROM fence\
            """;

    private IntentStatement() {}

    static Tuple parameters(LaneStore.Head head, List<LaneItem.Intent> batch) {
        String[] types = new String[batch.size()];
        Buffer[] bodies = new Buffer[batch.size()];
        for (int i = 0; i < types.length; i++) {
            types[i] = Codec.type(batch.get(i).command());
            bodies[i] = Buffer.buffer(batch.get(i).body());
        }
        return Tuple.tuple()
                .addInteger(head.id())
                .addLong(head.epoch())
                .addArrayOfString(types)
                .addArrayOfBuffer(bodies);
    }
}
