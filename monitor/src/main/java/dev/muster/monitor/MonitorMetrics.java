package dev.muster.monitor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Figures of a monitor. */
final class MonitorMetrics implements Verdicts.Meter {

    private final MeterRegistry meters;
    private final List<Meter> ours = new ArrayList<>();
    private final Timer detection;
    private final Counter signals;
    private final Counter strays;
    private final Counter hangs;
    private final Counter ownFaults;
    private final Counter environmentFaults;
    private volatile int live;
    private volatile long backlog;

    MonitorMetrics(MeterRegistry meters) {
        this.meters = meters;
        this.detection =
                keep(
                        Timer.builder("muster.monitor.detection.delay")
                                .description("From the threshold of a hang to its verdict")
                                .register(meters));
        this.signals = counter("muster.monitor.signals", "Signals taken in", "");
        this.strays =
                counter("muster.monitor.strays", "Signals of counters that are not current", "");
        String verdicts = "muster.monitor.verdicts";
        this.hangs = counter(verdicts, "Verdicts given", "hang");
        this.ownFaults = counter(verdicts, "Verdicts given", "user_error");
        this.environmentFaults = counter(verdicts, "Verdicts given", "environment");
        gauge("muster.monitor.jobs", "Live jobs that are watched", () -> live);
        gauge("muster.monitor.lane.backlog", "Verdicts not yet journalled", () -> backlog);
    }

    private Counter counter(String name, String doc, String cause) {
        Counter.Builder builder = Counter.builder(name).description(doc);
        return keep((cause.isEmpty() ? builder : builder.tag("cause", cause)).register(meters));
    }

    private void gauge(String name, String doc, java.util.function.Supplier<Number> value) {
        keep(Gauge.builder(name, value).description(doc).register(meters));
    }

    private <M extends Meter> M keep(M meter) {
        ours.add(meter);
        return meter;
    }

    @Override
    public void signal(boolean current) {
        (current ? signals : strays).increment();
    }

    @Override
    public void hung(long delayMillis) {
        hangs.increment();
        detection.record(Math.max(0, delayMillis), TimeUnit.MILLISECONDS);
    }

    @Override
    public void exited(ExitClassification found) {
        (found.environment() ? environmentFaults : ownFaults).increment();
    }

    void show(int liveJobs, long verdictsWaiting) {
        live = liveJobs;
        backlog = verdictsWaiting;
    }

    void close() {
        ours.forEach(meters::remove);
    }
}
