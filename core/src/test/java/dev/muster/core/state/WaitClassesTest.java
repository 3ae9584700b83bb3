package dev.muster.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.domain.Ask;
import dev.muster.domain.JobId;
import dev.muster.domain.PoolId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.QueueId;
import dev.muster.domain.Resources;
import dev.muster.domain.WaitReason;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

class WaitClassesTest {

    private final PoolState state = new PoolState(new PoolId("public"));
    private final WaitClasses waiting = state.waiting;

    @Test
    void keepsAgeHoweverOftenJobsLeaveAndComeBack() {
        for (int seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            PoolState fresh = new PoolState(new PoolId("public"));
            TreeSet<Integer> in = new TreeSet<>();
            List<Integer> jobs = new ArrayList<>();
            for (int i = 1; i <= 12; i++) {
                jobs.add(fresh.jobs.add(ask(i, 1, "default"), "job", "00", i));
            }
            Collections.shuffle(jobs, random);
            for (int step = 0; step < 60; step++) {
                int job = jobs.get(random.nextInt(jobs.size()));
                if (in.remove(job)) {
                    fresh.waiting.remove(job);
                } else {
                    fresh.waiting.add(job);
                    in.add(job);
                }
                // slots were given in order of age
                assertThat(listed(fresh.waiting)).as("seed %d", seed).containsExactlyElementsOf(in);
            }
        }
    }

    private static List<Integer> listed(WaitClasses waiting) {
        List<Integer> jobs = new ArrayList<>();
        for (int i = 0; i < waiting.active.size(); i++) {
            int waitClass = waiting.active.at(i);
            int previous = WaitClasses.NONE;
            for (int job = waiting.head(waitClass); job >= 0; job = waiting.next(job)) {
                assertThat(job).isNotEqualTo(previous);
                jobs.add(job);
                previous = job;
            }
        }
        return jobs;
    }

    @Test
    void remembersWhoHasNotBeenToldYet() {
        int first = state.jobs.add(ask(1, 1, "default"), "job", "00", 1);
        int second = state.jobs.add(ask(2, 1, "default"), "job", "00", 2);
        int third = state.jobs.add(ask(3, 1, "default"), "job", "00", 3);
        waiting.add(second);
        waiting.add(third);
        int waitClass = waiting.active.at(0);
        waiting.setKind(waitClass, WaitReason.Code.INSUFFICIENT);
        assertThat(waiting.unexplained(waitClass)).isEqualTo(second);

        waiting.explainedUpTo(waitClass, third);
        waiting.remove(third);
        assertThat(waiting.unexplained(waitClass)).isEqualTo(WaitClasses.NONE);
        waiting.add(third);
        assertThat(waiting.unexplained(waitClass)).isEqualTo(third);
        waiting.add(first);
        assertThat(waiting.unexplained(waitClass)).as("came back, is older").isEqualTo(first);

        waiting.explainedUpTo(waitClass, WaitClasses.NONE);
        waiting.setKind(waitClass, WaitReason.Code.INSUFFICIENT);
        assertThat(waiting.unexplained(waitClass)).isEqualTo(WaitClasses.NONE);
        waiting.setKind(waitClass, WaitReason.Code.NEVER_FITS);
        assertThat(waiting.unexplained(waitClass)).isEqualTo(first);
    }

    @Test
    void separatesWhatDiffersInMoreThanAgeAndFreesWhatIsEmpty() {
        List<Integer> jobs = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            String queue = i % 2 == 0 ? "default" : "night";
            jobs.add(state.jobs.add(ask(i, 1 + i / 4, queue), "job", "00", i));
            waiting.add(jobs.getLast());
        }
        assertThat(waiting.active.size()).isEqualTo(5);
        jobs.forEach(waiting::remove);
        assertThat(waiting.active.size()).isZero();
    }

    private static Ask ask(long id, int instances, String queue) {
        return new Ask(
                new JobId(1, id),
                new ProjectId("p"),
                new QueueId(queue),
                1,
                instances,
                "A100",
                new Resources(1, 1, 1000),
                0);
    }
}
