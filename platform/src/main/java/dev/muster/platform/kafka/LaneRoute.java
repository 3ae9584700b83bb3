package dev.muster.platform.kafka;

import dev.muster.domain.LaneId;
import dev.muster.domain.PoolId;

/**
 * Where a lane leads.
 *
 * @param topic commands or reports
 * @param partition stored for the pool
 */
public record LaneRoute(LaneId lane, PoolId pool, String topic, int partition) {

    /** A gateway's lane of commands to a pool; its numbers are durable. */
    public static LaneRoute ofGateway(String id, PoolId pool, Topics topics, int partition) {
        return new LaneRoute(
                new LaneId("gateway/" + id + "/" + pool), pool, topics.commands(), partition);
    }

    /** An executor's lane of reports to a pool; numbered anew with each epoch of its shard. */
    public static LaneRoute ofExecutor(
            String id, PoolId pool, long shardEpoch, Topics topics, int partition) {
        return new LaneRoute(
                new LaneId("executor/" + id + "/" + pool + "/" + shardEpoch),
                pool,
                topics.reports(),
                partition);
    }

    /** A monitor's lane of verdicts to a pool; numbered anew with each epoch of its lease. */
    public static LaneRoute ofMonitor(
            String id, PoolId pool, long epoch, Topics topics, int partition) {
        return new LaneRoute(
                new LaneId("monitor/" + id + "/" + pool + "/" + epoch),
                pool,
                topics.commands(),
                partition);
    }
}
