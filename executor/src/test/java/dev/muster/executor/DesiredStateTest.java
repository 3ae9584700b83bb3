package dev.muster.executor;

import static dev.muster.executor.Facts.JOB;
import static dev.muster.executor.Facts.PROJECT;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.domain.Event;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.JobSnapshot.InstanceSnapshot;
import dev.muster.domain.JobState;
import dev.muster.domain.Placement;
import dev.muster.domain.PoolSnapshot;
import dev.muster.domain.RecoveryState;
import dev.muster.domain.WaitReason;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

class DesiredStateTest {

    private final DesiredState state = new DesiredState();

    private DesiredJob job() {
        return Objects.requireNonNull(state.job(JOB));
    }

    private void apply(Event... events) {
        Arrays.stream(events).forEach(state::apply);
    }

    @Test
    void aGrantIsToBePreparedAndKnowsItsSpecification() {
        apply(Facts.submitted(JOB, 2, "abc"), Facts.granted(JOB, 1, 2));

        assertThat(job().order()).isEqualTo(InstanceOrder.PREPARE);
        assertThat(job().specHash()).isEqualTo("abc");
        assertThat(job().instances())
                .extracting(DesiredInstance::instance)
                .containsExactly(Facts.instance(1, 0), Facts.instance(1, 1));
    }

    @Test
    void aLifeRisesFromPreparationToItsRelease() {
        List<Event> life = Facts.life(JOB, 1);
        life.subList(0, 4).forEach(state::apply);
        assertThat(job().order()).isEqualTo(InstanceOrder.start(1));

        life.subList(4, 10).forEach(state::apply);
        assertThat(job().order()).isEqualTo(InstanceOrder.FINISH);

        life.subList(10, 12).forEach(state::apply);
        assertThat(job().instances()).allMatch(DesiredInstance::gone);

        life.subList(12, 14).forEach(state::apply);
        assertThat(state.jobs()).isEmpty();
    }

    @Test
    void everyFactMayRepeatAtOnceAndChangesNothing() {
        for (Event each : Facts.life(JOB, 1)) {
            state.apply(each);
            String before = String.valueOf(state.job(JOB));
            state.apply(each);
            assertThat(String.valueOf(state.job(JOB))).isEqualTo(before);
        }
    }

    @Test
    void factsOfAnEarlierAttemptChangeNothing() {
        apply(Facts.granted(JOB, 2, 2));
        String before = job().toString();

        Facts.life(JOB, 1).subList(0, 13).forEach(state::apply);

        assertThat(job().toString()).isEqualTo(before);
    }

    @Test
    void aStoppedJobEndsWhereverItIs() {
        for (int reached = 1; reached < 10; reached++) {
            DesiredState own = new DesiredState();
            Facts.life(JOB, 1).subList(0, reached).forEach(own::apply);
            own.apply(new Event.JobStopping(JOB, PROJECT, 1, "c", "u", "r"));
            assertThat(Objects.requireNonNull(own.job(JOB)).order())
                    .isEqualTo(InstanceOrder.FINISH);
        }
    }

    @Test
    void aSnapshotAtAnyFactContinuesLikeTheFold() {
        List<Event> life = Facts.life(JOB, 1);
        for (int reached = 1; reached < 12; reached++) {
            DesiredState folded = new DesiredState();
            folded.apply(Facts.submitted(JOB, 2, "abc"));
            life.subList(0, reached).forEach(folded::apply);

            DesiredState loaded = DesiredState.of(snapshot(life.subList(0, reached)));

            assertThat(loaded.job(JOB)).isEqualTo(folded.job(JOB));
        }
    }

    @Test
    void namesExactlyTheTypesThatMatter() {
        for (Event each : Facts.life(JOB, 1)) {
            boolean matters = !(each instanceof Event.JobStarted);
            assertThat(DesiredState.concerns(each.type())).as(each.type()).isEqualTo(matters);
        }
        assertThat(DesiredState.concerns("JobSubmitted")).isTrue();
        assertThat(DesiredState.concerns("InputsAbsorbed")).isFalse();
    }

    /** What the core would keep after these facts. */
    private static PoolSnapshot snapshot(List<Event> facts) {
        InstanceSnapshot[] instances = {
            new InstanceSnapshot(1, false, 0, -1, false, false),
            new InstanceSnapshot(1, false, 0, -1, false, false)
        };
        JobState state = JobState.PREPARING;
        int processStart = 0;
        List<Placement> placements = List.of();
        for (Event each : facts) {
            if (each instanceof Event.GangGranted e) {
                placements = e.placements();
            } else if (each instanceof Event.InstancePrepared e) {
                instances[e.index()] = new InstanceSnapshot(1, true, 0, -1, false, false);
            } else if (each instanceof Event.JobStarting) {
                state = JobState.STARTING;
                processStart = 1;
            } else if (each instanceof Event.InstanceStarted e) {
                instances[e.index()] = new InstanceSnapshot(1, true, 1, -1, false, false);
            } else if (each instanceof Event.InstanceExited e) {
                instances[e.index()] = new InstanceSnapshot(1, true, 1, 0, false, false);
            } else if (each instanceof Event.JobFinishing) {
                state = JobState.FINISHING;
            } else if (each instanceof Event.InstanceGone e) {
                instances[e.index()] = new InstanceSnapshot(1, true, 1, 0, true, false);
            }
        }
        JobSnapshot job = job(state, placements, List.of(instances), processStart);
        JobSnapshot queued = queued(new JobId(9, 9));
        return new PoolSnapshot(Facts.POOL, 5, 0, 1, 1, List.of(job, queued), List.of());
    }

    private static JobSnapshot job(
            JobState state,
            List<Placement> placements,
            List<InstanceSnapshot> instances,
            int processStart) {
        return new JobSnapshot(
                Facts.ask(JOB, 2),
                "test",
                "abc",
                1,
                state,
                WaitReason.AWAITS_CYCLE,
                1,
                placements,
                instances,
                processStart,
                null,
                "",
                "",
                "",
                0,
                0,
                RecoveryState.NONE);
    }

    private static JobSnapshot queued(JobId job) {
        return new JobSnapshot(
                Facts.ask(job, 1),
                "test",
                "def",
                2,
                JobState.QUEUED,
                WaitReason.AWAITS_CYCLE,
                0,
                List.of(),
                List.of(),
                0,
                null,
                "",
                "",
                "",
                0,
                0,
                RecoveryState.NONE);
    }
}
