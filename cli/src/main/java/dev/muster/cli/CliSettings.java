package dev.muster.cli;

import dev.muster.platform.config.Declarations;
import dev.muster.platform.config.Setting;

import java.util.ArrayList;
import java.util.List;

/** Keys of the embedded servers and of what looks after them. */
public final class CliSettings implements Declarations {

    static final Setting<Integer> POSTGRES_PORT =
            Setting.integer(
                    "embedded.postgres.port",
                    0,
                    0,
                    65535,
                    "Port of the embedded PostgreSQL; 0 for a free one, kept from then on.");

    static final Setting<Integer> KAFKA_PORT =
            Setting.integer(
                    "embedded.kafka.port",
                    0,
                    0,
                    65535,
                    "Port of the embedded Kafka; 0 for a free one, kept from then on.");

    /** For {@link java.util.ServiceLoader}. */
    public CliSettings() {}

    @Override
    public List<Setting<?>> settings() {
        List<Setting<?>> all = new ArrayList<>(List.of(POSTGRES_PORT, KAFKA_PORT));
        all.addAll(DoctorSettings.ALL);
        return all;
    }
}
