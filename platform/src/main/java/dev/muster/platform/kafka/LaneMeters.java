package dev.muster.platform.kafka;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import java.util.function.ToDoubleFunction;

/** A lane's metrics; they leave the registry with it. */
final class LaneMeters {

    final Counter repeated;
    final Counter replaced;
    private final Gauge unacknowledged;
    private final MeterRegistry registry;

    LaneMeters(MeterRegistry registry, LaneSender lane, ToDoubleFunction<LaneSender> waiting) {
        this.registry = registry;
        String id = lane.route().lane().value();
        this.repeated =
                Counter.builder("muster.lane.repeated")
                        .description("Entries published again")
                        .tag("lane", id)
                        .register(registry);
        this.replaced =
                Counter.builder("muster.lane.replaced")
                        .description("Entries that Kafka refused for good")
                        .tag("lane", id)
                        .register(registry);
        this.unacknowledged =
                Gauge.builder("muster.lane.unacknowledged", lane, waiting)
                        .description("Entries that the journal has not passed")
                        .tag("lane", id)
                        .register(registry);
    }

    void remove() {
        registry.remove(repeated);
        registry.remove(replaced);
        registry.remove(unacknowledged);
    }
}
