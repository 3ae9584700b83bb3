package dev.muster.scheduler;

import dev.muster.core.CoreSettings;
import dev.muster.domain.PoolId;
import dev.muster.platform.config.Setting;
import dev.muster.platform.run.ServiceContext;

import org.apache.kafka.common.TopicPartition;

/**
 * What the parts around one pool's core share.
 *
 * @param partition that is stored for the pool, in every topic
 */
record PoolContext(
        ServiceContext service,
        PoolId pool,
        int partition,
        Journal journal,
        PoolMetrics metrics,
        RestoreCheck restore) {

    static PoolContext of(ServiceContext service, PoolId pool, int partition) {
        return new PoolContext(
                service,
                pool,
                partition,
                new Journal(service.database(), pool),
                new PoolMetrics(service.meters(), pool),
                new RestoreCheck(service, pool, partition));
    }

    /** Leader, follower and replay of a pool share them: they shape decisions. */
    static CoreSettings coreSettings() {
        return CoreSettings.DEFAULT;
    }

    <T> T setting(Setting<T> setting) {
        return service.settings().get(setting);
    }

    long nowMillis() {
        return service.clock().millis();
    }

    TopicPartition commands() {
        return new TopicPartition(service.kafka().topics().commands(), partition);
    }

    TopicPartition reports() {
        return new TopicPartition(service.kafka().topics().reports(), partition);
    }

    TopicPartition events() {
        return new TopicPartition(service.kafka().topics().events(), partition);
    }

    Thread thread(String part, Runnable work) {
        return Thread.ofPlatform().name("scheduler-" + part + "-" + pool).daemon().unstarted(work);
    }
}
