package dev.muster.executor;

import static dev.muster.executor.Facts.JOB;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.domain.Event;
import dev.muster.domain.FailureCause;
import dev.muster.domain.InstanceRef;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

class DiffTest {

    private static final InstanceRef ZERO = Facts.instance(1, 0);
    private static final InstanceRef ONE = Facts.instance(1, 1);

    private static DesiredJob after(int facts) {
        DesiredState state = new DesiredState();
        Facts.life(JOB, 1).subList(0, facts).forEach(state::apply);
        return Objects.requireNonNull(state.job(JOB));
    }

    private static ObservedInstance seen(InstanceRef instance, InstanceOrder ordered) {
        return ObservedInstance.existing(instance).ordered(ordered);
    }

    @Test
    void makesWhatIsGrantedAndDoesNotExist() {
        assertThat(Diff.of(after(1), List.of(seen(ONE, InstanceOrder.PREPARE))))
                .containsExactly(new Action.Make(ZERO, InstanceOrder.PREPARE));
    }

    @Test
    void doesNothingTwice() {
        assertThat(
                        Diff.of(
                                after(1),
                                List.of(
                                        seen(ZERO, InstanceOrder.PREPARE),
                                        seen(ONE, InstanceOrder.PREPARE))))
                .isEmpty();
    }

    @Test
    void raisesAdoptedInstancesToTheStartThatIsDesired() {
        assertThat(
                        Diff.of(
                                after(4),
                                List.of(
                                        ObservedInstance.existing(ZERO),
                                        seen(ONE, InstanceOrder.start(1)))))
                .containsExactly(new Action.Raise(ZERO, InstanceOrder.start(1)));
    }

    @Test
    void aPreparedInstanceThatIsNowhereIsLostAndNeverMadeAgain() {
        assertThat(Diff.of(after(3), List.of()))
                .containsExactly(
                        new Action.DeclareGone(ZERO, false), new Action.DeclareGone(ONE, false));
    }

    @Test
    void nothingIsMadeOnlyToBeEnded() {
        DesiredJob job = after(1);
        job.end();
        assertThat(Diff.of(job, List.of()))
                .containsExactly(
                        new Action.DeclareGone(ZERO, false), new Action.DeclareGone(ONE, false));
    }

    @Test
    void anInstanceThatIsNowhereAtItsEndHasLostItsOutputs() {
        DesiredJob job = after(3);
        job.end();
        assertThat(Diff.of(job, List.of()))
                .containsExactly(
                        new Action.DeclareGone(ZERO, true), new Action.DeclareGone(ONE, true));
    }

    @Test
    void aFailedInstanceIsKilledOnlyWhenTheJobEnds() {
        ObservedInstance failed =
                seen(ZERO, InstanceOrder.PREPARE)
                        .after(new InstanceChange.Failed(ZERO, FailureCause.PREPARATION, "no"));
        DesiredJob job = after(1);
        ObservedInstance other = seen(ONE, InstanceOrder.PREPARE);
        assertThat(Diff.of(job, List.of(failed, other))).isEmpty();

        job.end();
        assertThat(Diff.of(job, List.of(failed, other)))
                .containsExactly(
                        new Action.Raise(ZERO, InstanceOrder.KILL),
                        new Action.Raise(ONE, InstanceOrder.FINISH));
    }

    @Test
    void whatNobodyGrantsIsReleasedOncePerAttempt() {
        assertThat(
                        Diff.of(
                                null,
                                List.of(
                                        seen(ZERO, InstanceOrder.PREPARE),
                                        seen(ONE, InstanceOrder.PREPARE))))
                .containsExactly(new Action.Release(JOB, 1));
    }

    @Test
    void anOldAttemptIsReleasedBesideTheLiveOne() {
        InstanceRef newer = Facts.instance(2, 0);
        DesiredState state = new DesiredState();
        state.apply(Facts.granted(JOB, 2, 1));
        assertThat(Diff.of(state.job(JOB), List.of(seen(ZERO, InstanceOrder.FINISH))))
                .containsExactly(
                        new Action.Make(newer, InstanceOrder.PREPARE), new Action.Release(JOB, 1));
    }

    @Test
    void anOlderIncarnationCarriesItsOutputsOutBeforeItsSuccessorIsMade() {
        InstanceRef second = new InstanceRef(JOB, 1, 0, 2);
        DesiredState state = new DesiredState();
        state.apply(Facts.granted(JOB, 1, 1));
        DesiredJob job = Objects.requireNonNull(state.job(JOB));
        job.note(0, 1, old -> new DesiredInstance(second, old.node(), false, false));
        ObservedInstance first = seen(ZERO, InstanceOrder.start(1));

        assertThat(Diff.of(job, List.of(first)))
                .containsExactly(new Action.Raise(ZERO, InstanceOrder.FINISH));
        ObservedInstance broken =
                first.after(new InstanceChange.Failed(ZERO, FailureCause.INSTANCE_LOST, "died"));
        assertThat(Diff.of(job, List.of(broken)))
                .containsExactly(new Action.Raise(ZERO, InstanceOrder.KILL));
        ObservedInstance dead =
                first.ordered(InstanceOrder.FINISH).after(new InstanceChange.Gone(ZERO));
        assertThat(Diff.of(job, List.of(dead)))
                .containsExactly(new Action.Make(second, InstanceOrder.PREPARE));
    }

    /** Facts and observations in any interleaving: no instance is made twice, each ends. */
    @Test
    void anyInterleavingMakesEachInstanceOnceAndLeavesNothing() {
        for (int seed = 0; seed < 500; seed++) {
            assertThat(new Interleaving(new Random(seed), Facts.life(JOB, 1)).run())
                    .as("seed " + seed)
                    .isEqualTo(2);
        }
    }

    @Test
    void anyInterleavingOfRestartsMakesEachIncarnationOnceAndLeavesNothing() {
        for (int seed = 0; seed < 500; seed++) {
            assertThat(new Interleaving(new Random(seed), Facts.eventfulLife(JOB)).run())
                    .as("seed " + seed)
                    .isEqualTo(4);
        }
    }

    /** The executor's side of one job, with facts that may come late and sessions that may end. */
    private static final class Interleaving {
        private final Random random;
        private final DesiredState desired = new DesiredState();
        private final Map<InstanceRef, ObservedInstance> observed = new HashMap<>();

        /** What the backend really has: how far each instance was brought. */
        private final Map<InstanceRef, InstanceOrder> world = new HashMap<>();

        private final List<Event> facts;
        private int made;

        Interleaving(Random random, List<Event> facts) {
            this.random = random;
            this.facts = new ArrayList<>(facts);
        }

        int run() {
            while (!facts.isEmpty() || !world.isEmpty()) {
                if (!facts.isEmpty() && possible(facts.getFirst()) && random.nextInt(3) == 0) {
                    desired.apply(facts.removeFirst());
                } else if (random.nextInt(10) == 0) {
                    restart();
                } else {
                    world.forEach(this::mayEnd);
                }
                Diff.of(desired.job(JOB), List.copyOf(observed.values())).forEach(this::act);
            }
            return made;
        }

        /** A fact follows from a report, which follows from an observation. */
        private boolean possible(Event fact) {
            if (fact instanceof Event.InstancePrepared e) {
                return reached(e.index(), e.incarnation(), InstanceOrder.PREPARE);
            } else if (fact instanceof Event.InstanceStarted e) {
                return reached(e.index(), e.incarnation(), InstanceOrder.start(e.processStart()));
            } else if (fact instanceof Event.InstanceExited e) {
                return reached(e.index(), e.incarnation(), InstanceOrder.start(e.processStart()));
            }
            return !(fact instanceof Event.InstanceGone e)
                    || reached(e.index(), e.incarnation(), InstanceOrder.FINISH);
        }

        private boolean reached(int index, int incarnation, InstanceOrder order) {
            InstanceOrder real = world.get(new InstanceRef(JOB, 1, index, incarnation));
            return real != null && !order.exceeds(real);
        }

        /** What was told to end does so some time. */
        private void mayEnd(InstanceRef instance, InstanceOrder reached) {
            if (reached.ends() && random.nextBoolean()) {
                observed.computeIfPresent(
                        instance, (_, seen) -> seen.after(new InstanceChange.Gone(instance)));
            }
        }

        private void restart() {
            observed.clear();
            world.keySet().forEach(each -> observed.put(each, ObservedInstance.existing(each)));
        }

        private void act(Action action) {
            switch (action) {
                case Action.Make(InstanceRef instance, InstanceOrder order) -> {
                    assertThat(world)
                            .as("nothing beside " + instance)
                            .noneSatisfy((other, reached) ->
                                    assertThat(other.index() == instance.index() && !reached.ends())
                                            .isTrue());
                    assertThat(world.put(instance, order)).isNull();
                    observed.put(instance, ObservedInstance.existing(instance).ordered(order));
                    made++;
                }
                case Action.Raise(InstanceRef instance, InstanceOrder order) -> {
                    world.merge(instance, order, (old, fresh) -> fresh.exceeds(old) ? fresh : old);
                    observed.computeIfPresent(instance, (_, seen) -> seen.ordered(order));
                }
                case Action.DeclareGone gone ->
                        throw new AssertionError("nothing was lost: " + gone);
                case Action.Release _ -> {
                    assertThat(desired.jobs()).isEmpty();
                    world.clear();
                    observed.clear();
                }
            }
        }
    }
}
