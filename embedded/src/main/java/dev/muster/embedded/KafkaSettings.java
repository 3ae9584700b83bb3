package dev.muster.embedded;

import java.util.Map;
import java.util.OptionalInt;

/**
 * How the embedded Kafka runs.
 *
 * @param port the port on 127.0.0.1 for clients that must be used; empty lets the broker choose one
 *     and keep it
 * @param controllerPort the same for its controller
 * @param overrides broker settings by name that replace Muster's own; listeners, security, roles
 *     and directories cannot be among them
 */
public record KafkaSettings(
        OptionalInt port, OptionalInt controllerPort, Map<String, String> overrides) {
    public KafkaSettings {
        overrides = Map.copyOf(overrides);
        for (String name : overrides.keySet()) {
            if (KafkaBrokerProperties.isFixed(name)) {
                throw new EmbeddedServerException(
                        "The Kafka setting " + name + " cannot be changed: Muster relies on it.");
            }
        }
    }

    /** Free ports, Muster's own settings. */
    public static KafkaSettings defaults() {
        return new KafkaSettings(OptionalInt.empty(), OptionalInt.empty(), Map.of());
    }

    public KafkaSettings withPort(int newPort) {
        return new KafkaSettings(OptionalInt.of(newPort), controllerPort, overrides);
    }

    public KafkaSettings withOverrides(Map<String, String> newOverrides) {
        return new KafkaSettings(port, controllerPort, newOverrides);
    }
}
