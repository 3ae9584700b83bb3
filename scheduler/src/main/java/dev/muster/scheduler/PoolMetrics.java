package dev.muster.scheduler;

import dev.muster.domain.PoolId;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import java.util.concurrent.atomic.AtomicLong;

/** What is measured of one pool; every series bears the tag {@code pool}. */
final class PoolMetrics {

    private final MeterRegistry meters;
    private final Tags tags;

    final Timer cycle;
    final Timer append;
    final Timer snapshot;
    final DistributionSummary batchInputs;
    final DistributionSummary rowBytes;
    final Counter inputs;
    final Counter events;
    final Counter repeats;
    final Counter gaps;
    final Counter poison;
    final Counter published;
    final Counter publishFailures;
    final Counter reloads;
    final Counter snapshots;
    final Counter unreadableSnapshots;

    final AtomicLong leading;
    final AtomicLong epoch;
    final AtomicLong journalSeq;
    final AtomicLong publishedSeq;
    final AtomicLong followerSeq;
    final AtomicLong queuedJobs;
    final AtomicLong queueAgeMillis;
    final AtomicLong grantedJobs;
    final AtomicLong illegal;
    final AtomicLong stale;
    final AtomicLong kafkaLag;
    final AtomicLong snapshotBytes;

    PoolMetrics(MeterRegistry meters, PoolId pool) {
        this.meters = meters;
        this.tags = Tags.of("pool", pool.value());
        cycle = timer("muster.scheduler.cycle", "Time of a decision over a batch");
        append = timer("muster.scheduler.append", "Time of an append to its confirmation");
        snapshot = timer("muster.scheduler.snapshot", "Time in which a snapshot was written");
        batchInputs = summary("muster.scheduler.batch.inputs", "Inputs of a journal row", "inputs");
        rowBytes = summary("muster.scheduler.row.bytes", "Compressed body of a row", "bytes");
        inputs = counter("muster.scheduler.inputs", "Inputs taken");
        events = counter("muster.scheduler.events", "Events journalled");
        repeats = counter("muster.scheduler.repeats", "Records dropped: passed already");
        gaps = counter("muster.scheduler.gaps", "Records dropped: one before them is missing");
        poison = counter("muster.scheduler.poison", "Records that could not be read");
        published = counter("muster.scheduler.published", "Events that Kafka acknowledged");
        publishFailures = counter("muster.scheduler.publish.failures", "Publications begun anew");
        reloads =
                counter(
                        "muster.scheduler.reloads",
                        "Times that the state was dropped and read anew");
        snapshots = counter("muster.scheduler.snapshots", "Snapshots written");
        unreadableSnapshots =
                counter("muster.scheduler.snapshots.unreadable", "Snapshots passed over");
        leading = gauge("muster.scheduler.leading", "1 while this process leads the pool");
        epoch = gauge("muster.scheduler.epoch", "Epoch of the pool's leader");
        journalSeq = gauge("muster.scheduler.journal.seq", "Seq of the last committed event");
        publishedSeq = gauge("muster.scheduler.published.seq", "Seq of the last published event");
        followerSeq = gauge("muster.scheduler.follower.seq", "Seq of the follower");
        queuedJobs = gauge("muster.scheduler.queue.jobs", "Jobs that wait for a grant");
        queueAgeMillis = gauge("muster.scheduler.queue.age.millis", "Age of the oldest of them");
        grantedJobs = gauge("muster.scheduler.granted.jobs", "Jobs that hold a grant");
        illegal = gauge("muster.scheduler.illegal", "Inputs refused by the table of states");
        stale = gauge("muster.scheduler.stale", "Reports of old counters");
        snapshotBytes = gauge("muster.scheduler.snapshot.bytes", "Size of the last snapshot");
        kafkaLag = gauge("muster.scheduler.kafka.lag", "Records of the partitions not read yet");
    }

    private Timer timer(String name, String doc) {
        return Timer.builder(name).description(doc).tags(tags).register(meters);
    }

    private Counter counter(String name, String doc) {
        return Counter.builder(name).description(doc).tags(tags).register(meters);
    }

    private DistributionSummary summary(String name, String doc, String unit) {
        return DistributionSummary.builder(name)
                .description(doc)
                .baseUnit(unit)
                .tags(tags)
                .register(meters);
    }

    private AtomicLong gauge(String name, String doc) {
        AtomicLong value = new AtomicLong();
        Gauge.builder(name, value, AtomicLong::get).description(doc).tags(tags).register(meters);
        return value;
    }
}
