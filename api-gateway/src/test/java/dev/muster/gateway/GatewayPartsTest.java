package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.JobId;
import dev.muster.domain.JobState;
import dev.muster.domain.Limits;
import dev.muster.domain.NodeId;
import dev.muster.domain.Placement;
import dev.muster.domain.PoolId;
import dev.muster.domain.ProjectId;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.config.Declarations;
import dev.muster.platform.config.Settings;
import dev.muster.platform.kafka.EventRecord;

import org.junit.jupiter.api.Test;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class GatewayPartsTest {

    private static final PoolId POOL = new PoolId("public");
    private static final ProjectId PROJECT = new ProjectId("p");

    private static StreamEvent event(long seq, Event event) {
        EventRecord record = EventRecord.of(POOL, seq, 1_000 + seq, EncodedEvent.of(event));
        return StreamEvent.of(record, record.decode());
    }

    @Test
    void idsRiseEvenWhenTheClockStandsStill() {
        JobIds ids =
                new JobIds(Clock.fixed(Instant.ofEpochMilli(1_700_000_000_000L), ZoneOffset.UTC));
        JobId last = ids.next();
        for (int i = 0; i < 10_000; i++) {
            JobId next = ids.next();
            assertThat(next).isGreaterThan(last);
            assertThat(next.uuid().version()).isEqualTo(7);
            assertThat(next.uuid().variant()).isEqualTo(2);
            last = next;
        }
    }

    @Test
    void aCursorReadsBackAsItWasWritten() {
        Map<PoolId, Long> positions = new TreeMap<>(Map.of(POOL, 12L, new PoolId("a/b"), 0L));
        assertThat(Cursor.parse(Cursor.write(positions))).isEqualTo(positions);
        for (String bad : List.of("", "public", "public:", "public:-1", ":1", "a:1,a:2", "a b:1")) {
            assertThatThrownBy(() -> Cursor.parse(bad))
                    .as(bad)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aRingHoldsARunWithoutGapsAndNoMoreThanItMay() {
        EventRing ring = new EventRing(3, 1 << 20);
        JobId job = new JobId(1, 2);
        for (long seq = 1; seq <= 5; seq++) {
            assertThat(ring.append(event(seq, TestScheduler.notice(job, 0)))).isTrue();
        }
        assertThat(ring.append(event(5, TestScheduler.notice(job, 0)))).as("a repeat").isFalse();
        assertThat(ring.first()).isEqualTo(3);
        assertThat(ring.get(2)).isNull();
        assertThat(ring.append(event(9, TestScheduler.notice(job, 0)))).isTrue();
        assertThat(ring.first()).as("begins anew behind a gap").isEqualTo(9);
        assertThat(ring.get(5)).isNull();
        EventRing small = new EventRing(100, 1_000);
        for (long seq = 1; seq <= 5; seq++) {
            small.append(event(seq, TestScheduler.notice(job, 0)));
        }
        assertThat(small.first()).isEqualTo(5);
    }

    @Test
    void manyEventsOfAJobBecomeOneChange() {
        JobId job = new JobId(1, 2);
        List<StreamEvent> events = new ArrayList<>();
        List<Placement> placements = List.of(new Placement(0, new NodeId("n"), List.of(1)));
        events.add(event(1, new Event.GangGranted(job, PROJECT, 1, placements)));
        events.add(event(2, new Event.JobStarting(job, PROJECT, 1, 1)));
        events.add(event(3, new Event.JobStarted(job, PROJECT, 1)));
        events.add(event(70, new Event.JobFinishing(job, PROJECT, 1, FailureCause.EXIT_CODE, "7")));
        events.add(event(71, new Event.GangReleased(job, PROJECT, 1)));
        events.add(event(72, new Event.JobFailed(job, PROJECT, 1, FailureCause.EXIT_CODE, "7")));
        ViewChanges changes = ViewChanges.of(events);
        assertThat(changes.jobs()).hasSize(1);
        ViewChanges.JobChange change = changes.jobs().values().iterator().next();
        assertThat(change.state).isEqualTo(JobState.FAILED);
        assertThat(change.cause).isEqualTo("EXIT_CODE");
        assertThat(change.startedAtMillis).isEqualTo(1_003);
        assertThat(change.endedAtMillis).isEqualTo(1_072);
        assertThat(change.runs).as("a run covers 64 seqs").containsExactly(1L, 70L);
        assertThat(changes.granted()).as("granted and released").isEmpty();
        assertThat(changes.released()).containsExactly(job);
    }

    @Test
    void everySettingIsDeclaredAndAtItsDefault() {
        Settings settings = Settings.defaults();
        new GatewaySettings().settings().forEach(s -> assertThat(settings.get(s)).isNotNull());
        assertThat(GatewaySettings.limits(settings)).isEqualTo(Limits.DEFAULTS);
        assertThat(Declarations.allFailpoints()).containsAll(GatewaySettings.FAILPOINTS);
    }
}
