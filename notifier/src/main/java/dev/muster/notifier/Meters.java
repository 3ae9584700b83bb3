package dev.muster.notifier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** What the notifier counts. */
final class Meters {

    private final MeterRegistry registry;
    private final Counter arrived;
    private final Counter retried;
    private final Counter dead;
    private final Counter missed;
    private final Timer delay;
    private volatile long depth;
    private volatile long oldestMillis;

    Meters(MeterRegistry registry) {
        this.registry = registry;
        this.arrived = deliveries("arrived");
        this.retried = deliveries("failed");
        this.dead = deliveries("dead");
        this.missed =
                Counter.builder("muster.notifier.missed")
                        .description(
                                "Events that the journal no longer held when it was their turn")
                        .register(registry);
        this.delay =
                Timer.builder("muster.notifier.delay")
                        .description("From an event to its arrival")
                        .publishPercentiles(0.5, 0.99)
                        .distributionStatisticExpiry(Duration.ofMinutes(2))
                        .register(registry);
        Gauge.builder("muster.notifier.queue.depth", this, m -> m.depth)
                .description("Deliveries that have not ended, of all notifiers, as last counted")
                .register(registry);
        Gauge.builder("muster.notifier.queue.oldest", this, m -> m.oldestMillis / 1e3)
                .description("Age of the oldest of them")
                .baseUnit("seconds")
                .register(registry);
    }

    private Counter deliveries(String result) {
        return Counter.builder("muster.notifier.deliveries")
                .description("Attempts by result; dead ones are those given up")
                .tag("result", result)
                .register(registry);
    }

    <T> void gauge(String name, String doc, T of, ToDoubleFunction<T> value) {
        Gauge.builder(name, of, value).description(doc).register(registry);
    }

    <T> void circuits(Circuit.State state, T of, ToDoubleFunction<T> value) {
        Gauge.builder("muster.notifier.circuits", of, value)
                .description("Targets by the state of their circuit")
                .tag("state", state.name().toLowerCase(Locale.ROOT))
                .register(registry);
    }

    void arrived(long delayMillis) {
        arrived.increment();
        delay.record(Math.max(0, delayMillis), TimeUnit.MILLISECONDS);
    }

    void failed() {
        retried.increment();
    }

    void dead() {
        dead.increment();
    }

    void missed(long events) {
        missed.increment((double) events);
    }

    void queue(long rows, long ageMillis) {
        depth = rows;
        oldestMillis = ageMillis;
    }
}
