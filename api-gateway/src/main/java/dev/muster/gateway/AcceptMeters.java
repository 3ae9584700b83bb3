package dev.muster.gateway;

import dev.muster.domain.Failure;
import dev.muster.platform.http.Problems;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** What acceptance is measured by. */
final class AcceptMeters {

    private final MeterRegistry meters;
    private final Counter accepted;
    private final Counter repeated;
    private final Counter failures;
    private final DistributionSummary batchRows;
    private final Timer commit;

    AcceptMeters(MeterRegistry meters) {
        this.meters = meters;
        this.accepted = counter("muster.gateway.accepted", "Jobs accepted durably");
        this.repeated = counter("muster.gateway.repeated", "Submissions answered by their key");
        this.failures = counter("muster.gateway.batch.failures", "Batches that were not written");
        this.batchRows =
                DistributionSummary.builder("muster.gateway.batch.rows")
                        .description("Rows written at once")
                        .register(meters);
        this.commit =
                Timer.builder("muster.gateway.commit")
                        .description("From the sending of a batch to its commit")
                        .publishPercentiles(0.5, 0.99)
                        .register(meters);
    }

    private Counter counter(String name, String doc) {
        return Counter.builder(name).description(doc).register(meters);
    }

    void batch(int rows) {
        batchRows.record(rows);
    }

    void committed(long nanos, int places) {
        commit.record(nanos, TimeUnit.NANOSECONDS);
    }

    void failed() {
        failures.increment();
    }

    void accepted(boolean again) {
        (again ? repeated : accepted).increment();
    }

    /** Counts a refusal under its kind: invalid, conflict, overloaded, … */
    void refused(Throwable cause) {
        Failure failure = Problems.failureOf(cause);
        String kind =
                failure == null
                        ? "internal"
                        : failure.getClass().getSimpleName().toLowerCase(Locale.ROOT);
        Counter.builder("muster.gateway.refused")
                .description("Submissions refused, by kind")
                .tag("kind", kind)
                .register(meters)
                .increment();
    }
}
