package dev.muster.executor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** Figures of an executor. Gauges follow the term that holds the shard. */
final class ExecutorMetrics implements Reconciler.Meter {

    /** What a term shows; read from any thread. */
    interface Figures {
        int live();

        long backlog();

        int waiting();

        long refills();

        long skipped();

        long seq();
    }

    private final MeterRegistry meters;
    private final Counter starts;
    private final Counter orders;
    private final Timer reconciles;
    private final List<Gauge> gauges;
    private volatile @Nullable Figures figures;

    ExecutorMetrics(MeterRegistry meters) {
        this.meters = meters;
        this.starts =
                Counter.builder("muster.executor.starts")
                        .description("Process starts that were observed")
                        .register(meters);
        this.orders =
                Counter.builder("muster.executor.orders")
                        .description("Orders given to the backend")
                        .register(meters);
        this.reconciles =
                Timer.builder("muster.executor.reconcile")
                        .description("Time of one comparison of desired and observed")
                        .register(meters);
        this.gauges =
                List.of(
                        gauge("instances.live", "Instances that exist", Figures::live),
                        gauge("lane.backlog", "Reports not yet journalled", Figures::backlog),
                        gauge("loop.waiting", "Work that waits for the term", Figures::waiting),
                        gauge("facts.refills", "Gaps filled by the journal", Figures::refills),
                        gauge("facts.skipped", "Records that were no facts", Figures::skipped),
                        gauge("facts.seq", "Seq of the last fact folded", Figures::seq));
    }

    private Gauge gauge(String name, String doc, ToDoubleFunction<Figures> value) {
        return Gauge.builder("muster.executor." + name, this, self -> self.read(value))
                .description(doc)
                .register(meters);
    }

    private double read(ToDoubleFunction<Figures> value) {
        Figures shown = figures;
        return shown == null ? 0 : value.applyAsDouble(shown);
    }

    /** Shows this term; null for none. */
    void show(@Nullable Figures term) {
        figures = term;
    }

    @Override
    public void started() {
        starts.increment();
    }

    @Override
    public void ordered() {
        orders.increment();
    }

    void reconciled(Runnable comparison) {
        reconciles.record(comparison);
    }

    void close() {
        figures = null;
        gauges.forEach(meters::remove);
        List.of(starts, orders, reconciles).forEach(meters::remove);
    }
}
