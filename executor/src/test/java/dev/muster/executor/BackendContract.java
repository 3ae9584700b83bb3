package dev.muster.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSpec;
import dev.muster.platform.kafka.ProgressRecord;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** What every backend owes the executor. */
abstract class BackendContract {

    private final JobId job = Facts.newJob();
    private final InstanceRef instance = new InstanceRef(job, 1, 0, 1);
    private final List<InstanceChange> told = new CopyOnWriteArrayList<>();
    private InstanceBackend backend;
    private BackendSession session;

    abstract InstanceBackend backend() throws Exception;

    /** Ends by itself with this code. */
    abstract JobSpec ending(int exitCode);

    /** Runs until it is ended. */
    abstract JobSpec endless();

    /** Hangs from its first start on, and ends well under the next number. */
    abstract JobSpec hanging();

    @BeforeEach
    void open() throws Exception {
        backend = backend();
        session = backend.open(told::add);
    }

    @AfterEach
    void close() {
        session.raise(instance, InstanceOrder.KILL);
        if (!told.isEmpty()) {
            awaitTold(InstanceChange.Gone.class::isInstance);
        }
        session.close();
        backend.close();
    }

    private void awaitTold(Predicate<InstanceChange> change) {
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(told).anyMatch(change));
    }

    private void make(JobSpec spec, InstanceOrder order) {
        session.make(new Grant(job, 1, spec), instance, order);
    }

    @Test
    void aCommandThatEndsIsPreparedStartedAndExitedInThatOrder() {
        make(ending(0), InstanceOrder.PREPARE);
        awaitTold(new InstanceChange.Prepared(instance)::equals);

        session.raise(instance, InstanceOrder.start(1));
        awaitTold(new InstanceChange.Exited(instance, 1, 0)::equals);
        session.raise(instance, InstanceOrder.FINISH);
        awaitTold(new InstanceChange.Gone(instance)::equals);

        assertThat(told)
                .filteredOn(each -> !(each instanceof InstanceChange.Signalled))
                .containsExactly(
                        new InstanceChange.Prepared(instance),
                        new InstanceChange.Started(instance, 1),
                        new InstanceChange.Exited(instance, 1, 0),
                        new InstanceChange.Gone(instance));
    }

    @Test
    void theExitCodeIsTold() {
        make(ending(7), InstanceOrder.start(1));
        awaitTold(new InstanceChange.Exited(instance, 1, 7)::equals);
    }

    @Test
    void aRepeatedOrderStartsNothingAgain() throws Exception {
        for (int n = 0; n < 3; n++) {
            make(ending(0), InstanceOrder.start(1));
            session.raise(instance, InstanceOrder.start(1));
        }
        awaitTold(new InstanceChange.Exited(instance, 1, 0)::equals);
        session.raise(instance, InstanceOrder.start(1));

        assertThat(backend.instances())
                .singleElement()
                .satisfies(each ->
                        assertThat(each.processStarts())
                                .containsExactly(new InstanceRecord.Start(1, 1)));
    }

    @Test
    void aRunningCommandIsEndedByTheFinish() throws Exception {
        make(endless(), InstanceOrder.start(1));
        awaitTold(new InstanceChange.Started(instance, 1)::equals);

        session.raise(instance, InstanceOrder.FINISH);

        awaitTold(new InstanceChange.Gone(instance)::equals);
        assertThat(told)
                .anyMatch(each ->
                        each instanceof InstanceChange.Exited exited && exited.exitCode() != 0);
        assertThat(backend.instances()).allMatch(each -> each.living().isEmpty());
    }

    @Test
    void whatWasNeverStartedLeavesAtOnce() {
        make(endless(), InstanceOrder.PREPARE);
        session.raise(instance, InstanceOrder.FINISH);

        awaitTold(new InstanceChange.Gone(instance)::equals);
        assertThat(told).noneMatch(InstanceChange.Started.class::isInstance);
    }

    @Test
    void anOrderToEndWhatDoesNotExistIsAnsweredWithGone() {
        session.raise(instance, InstanceOrder.start(1));
        assertThat(told).isEmpty();
        session.raise(instance, InstanceOrder.FINISH);
        assertThat(told).containsExactly(new InstanceChange.Gone(instance));
    }

    @Test
    void theNextSessionFindsWhatRunsAndIsToldAll() throws Exception {
        make(endless(), InstanceOrder.start(1));
        awaitTold(new InstanceChange.Started(instance, 1)::equals);
        session.close();
        told.clear();

        session = backend.open(told::add);
        assertThat(session.existing()).containsExactly(instance);
        session.adopt(instance);

        awaitTold(new InstanceChange.Started(instance, 1)::equals);
        assertThat(told)
                .filteredOn(each -> !(each instanceof InstanceChange.Signalled))
                .containsExactly(
                        new InstanceChange.Prepared(instance),
                        new InstanceChange.Started(instance, 1));
        session.raise(instance, InstanceOrder.start(1));
        session.raise(instance, InstanceOrder.KILL);
        awaitTold(new InstanceChange.Gone(instance)::equals);
        assertThat(backend.instances())
                .allMatch(each -> each.processStarts().stream().allMatch(s -> s.starts() == 1));
    }

    @Test
    void aCommandIsRestartedInPlaceOnceForEachNumber() throws Exception {
        make(endless(), InstanceOrder.start(1));
        awaitTold(new InstanceChange.Started(instance, 1)::equals);

        session.raise(instance, InstanceOrder.start(2));
        session.raise(instance, InstanceOrder.start(2));
        session.raise(instance, InstanceOrder.start(1));
        awaitTold(new InstanceChange.Started(instance, 2)::equals);

        assertThat(told)
                .filteredOn(each -> !(each instanceof InstanceChange.Signalled))
                .satisfiesExactly(
                        each -> assertThat(each).isEqualTo(new InstanceChange.Prepared(instance)),
                        each -> assertThat(each).isEqualTo(new InstanceChange.Started(instance, 1)),
                        each ->
                                assertThat(each)
                                        .isEqualTo(new InstanceChange.Exited(instance, 1, 143)),
                        each ->
                                assertThat(each)
                                        .isEqualTo(new InstanceChange.Started(instance, 2)));
        assertThat(backend.instances().getFirst().processStarts())
                .containsExactly(new InstanceRecord.Start(1, 1), new InstanceRecord.Start(2, 1));
    }

    @Test
    void theNextIncarnationIsAnInstanceOfItsOwn() throws Exception {
        make(endless(), InstanceOrder.start(1));
        awaitTold(new InstanceChange.Started(instance, 1)::equals);
        session.raise(instance, InstanceOrder.FINISH);
        awaitTold(new InstanceChange.Gone(instance)::equals);

        InstanceRef second = new InstanceRef(job, 1, 0, 2);
        session.make(new Grant(job, 1, endless()), second, InstanceOrder.start(1));
        awaitTold(new InstanceChange.Started(second, 1)::equals);
        session.raise(instance, InstanceOrder.start(2));

        assertThat(session.signals(job))
                .filteredOn(each -> each.runMillis() >= 0 && each.instance().equals(second))
                .hasSizeLessThanOrEqualTo(1);
        session.raise(second, InstanceOrder.KILL);
        awaitTold(new InstanceChange.Gone(second)::equals);
        assertThat(told).doesNotContain(new InstanceChange.Started(instance, 2));
    }

    @Test
    void aHangIsHeardAtOnceAndEndedByARestart() {
        make(hanging(), InstanceOrder.start(1));

        awaitTold(each ->
                each instanceof InstanceChange.Signalled(ProgressRecord.Signal signal)
                        && signal.processStart() == 1
                        && signal.silentMillis() >= 1000);
        session.raise(instance, InstanceOrder.start(2).ending(1, 1));

        awaitTold(new InstanceChange.Exited(instance, 2, 0)::equals);
    }

    @Test
    void whatRunsIsHeard() {
        make(endless(), InstanceOrder.start(1));
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() ->
                        assertThat(session.signals())
                                .singleElement()
                                .satisfies(each -> {
                                    assertThat(each.instance()).isEqualTo(instance);
                                    assertThat(each.processStart()).isEqualTo(1);
                                }));
        session.raise(instance, InstanceOrder.FINISH);
        awaitTold(new InstanceChange.Gone(instance)::equals);
        await().untilAsserted(() -> assertThat(session.signals()).isEmpty());
    }

    @Test
    void aReleasedAttemptIsOverEvenIfItStillRan() throws Exception {
        make(endless(), InstanceOrder.start(1));
        awaitTold(new InstanceChange.Started(instance, 1)::equals);

        session.release(job, 1);

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(session.existing()).isEmpty());
        assertThat(backend.instances()).allMatch(each -> each.living().isEmpty());
        told.clear();
    }
}
