package dev.muster.platform.run;

import dev.muster.domain.PoolId;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.kafka.KafkaAccess;
import dev.muster.platform.observe.Health;
import dev.muster.platform.sql.Database;
import dev.muster.platform.sql.Pools;
import dev.muster.platform.sql.ServiceDirectory;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.time.Clock;
import java.util.List;
import java.util.function.Consumer;

/**
 * What every service is given; shared by all services of one JVM.
 *
 * @param fatal for a broken invariant: logs it and ends the process, services stopped in order
 */
public record ServiceContext(
        Vertx vertx,
        Settings settings,
        Database database,
        KafkaAccess kafka,
        ServiceDirectory directory,
        Pools pools,
        Health health,
        PrometheusMeterRegistry meters,
        Clock clock,
        Consumer<Throwable> fatal) {

    /** Stable id of this process: a restart with the same id takes its leases and lanes over. */
    public String serviceId() {
        return settings.get(PlatformSettings.SERVICE_ID);
    }

    /**
     * Enters a service of this process in the directory.
     *
     * @param pools that it serves, none for all
     * @param port of its internal API
     */
    public Future<Void> register(String role, List<PoolId> pools, int port) {
        String url = "http://" + settings.get(PlatformSettings.HTTP_HOST) + ":" + port;
        return directory.register(new ServiceDirectory.Entry(entry(role), role, pools, url));
    }

    /** Takes it out again. */
    public Future<Void> withdraw(String role) {
        return directory.withdraw(entry(role));
    }

    private String entry(String role) {
        return role + "/" + serviceId();
    }
}
