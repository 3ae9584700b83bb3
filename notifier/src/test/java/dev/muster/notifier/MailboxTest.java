package dev.muster.notifier;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** A mailbox between this notifier and the table, and its chains. */
class MailboxTest {

    private static final long LEASE = 1_000;
    private static final UUID JOB = UUID.randomUUID();
    private static final UUID OTHER_JOB = UUID.randomUUID();

    private final Subscription subscription =
            new Subscription(
                    UUID.randomUUID(),
                    new Subscription.Scope("p", null, Set.of(), Map.of()),
                    Endpoint.of("https://example.com/hook"),
                    List.of());
    private final Target target =
            new Target(
                    "https://example.com:443", new Circuit(new Circuit.Rule(3, 1, 1, _ -> 0)), 4);
    private final Mailbox mailbox = new Mailbox(claim(1, 10), subscription, target, 0);

    private Mailbox.Claim claim(long number, long lowSeq) {
        return new Mailbox.Claim(7, subscription.id(), "public", number, lowSeq, 0);
    }

    private Delivery delivery(UUID job, long seq) {
        byte[] body = {};
        Message message =
                new Message("public", seq, job, "p", "JobStarted", 0, body, Buffer.buffer());
        return new Delivery(mailbox, message, 0, 0, 0);
    }

    private void giveBack() {
        mailbox.read(10);
        assertThat(mailbox.idle(10, 10)).isTrue();
        mailbox.returning();
        assertThat(mailbox.sends(0, LEASE)).isFalse();
    }

    @Test
    void isGoneOnceTheTableHasItBack() {
        giveBack();
        assertThat(mailbox.returned(1, true)).isTrue();
        assertThat(mailbox.hold()).isEqualTo(Mailbox.Hold.LOST);
    }

    @Test
    void isKeptAndReadOnIfThereWasNewsMeanwhile() {
        giveBack();
        assertThat(mailbox.returned(1, false)).isFalse();
        assertThat(mailbox.hold()).isEqualTo(Mailbox.Hold.HELD);
        assertThat(mailbox.behind()).isTrue();
        assertThat(mailbox.sends(0, LEASE)).isTrue();
    }

    /**
     * The table gave it back and let it be claimed anew; only the first answer is still on its way.
     */
    @Test
    void claimedAgainBeforeItsReleaseIsHeardItStaysHeld() {
        giveBack();
        mailbox.claimed(claim(2, 12), 20);
        assertThat(mailbox.hold()).isEqualTo(Mailbox.Hold.HELD);
        assertThat(mailbox.cursor()).isEqualTo(12);
        assertThat(mailbox.behind()).as("what is new is read").isTrue();
        assertThat(mailbox.returned(1, true)).as("an answer of the old claim").isFalse();
        assertThat(mailbox.hold()).isEqualTo(Mailbox.Hold.HELD);
        assertThat(mailbox.sends(20, LEASE)).isTrue();
    }

    @Test
    void claimedAgainBeforeItsReleaseIsHeardItIsNotHeldForEver() {
        giveBack();
        mailbox.claimed(claim(2, 10), 20);
        assertThat(mailbox.returned(1, true)).isFalse();
        mailbox.read(10);
        assertThat(mailbox.idle(30, 10)).isTrue();
        mailbox.returning();
        assertThat(mailbox.returned(1, false)).as("heard late, once more").isFalse();
        assertThat(mailbox.hold()).isEqualTo(Mailbox.Hold.RETURNING);
        assertThat(mailbox.returned(2, true)).isTrue();
        assertThat(mailbox.hold()).isEqualTo(Mailbox.Hold.LOST);
    }

    @Test
    void aClaimThatIsOlderThanTheOneInForceChangesNothing() {
        mailbox.claimed(claim(3, 30), 5);
        mailbox.claimed(claim(2, 20), 6);
        assertThat(mailbox.claim()).isEqualTo(3);
        assertThat(mailbox.cursor()).isEqualTo(30);
    }

    @Test
    void sendsNothingOnceItsLeaseMayHaveEnded() {
        assertThat(mailbox.sends(LEASE - 1, LEASE)).isTrue();
        mailbox.poked(1, 10);
        assertThat(mailbox.sends(LEASE, LEASE)).as("a revival renews nothing").isFalse();
        mailbox.renewed(1, 10, 500);
        assertThat(mailbox.sends(LEASE, LEASE)).isTrue();
    }

    @Test
    void isReadFromAPokedDeliveryOn() {
        mailbox.read(50);
        mailbox.renewed(1, 19, 0);
        assertThat(mailbox.cursor()).isEqualTo(19);
        assertThat(mailbox.behind()).isTrue();
        mailbox.read(50);
        mailbox.renewed(1, 19, 0);
        assertThat(mailbox.behind()).as("the same poke").isFalse();
    }

    @Test
    void isReadOnIfThereWasNewsBetweenAQuestionAndItsAnswer() {
        Mailbox.Mark asked = mailbox.mark();
        mailbox.news();
        mailbox.loaded(asked, 100, false);
        assertThat(mailbox.behind()).as("what the answer is too old for").isTrue();
        assertThat(mailbox.cursor()).as("news lies behind all of the answer").isEqualTo(100);
        mailbox.loaded(mailbox.mark(), 110, false);
        assertThat(mailbox.behind()).isFalse();
        assertThat(mailbox.cursor()).isEqualTo(110);
    }

    @Test
    void isReadAgainFromItsCursorIfOneWasRevivedBetweenAQuestionAndItsAnswer() {
        Mailbox.Mark asked = mailbox.mark();
        mailbox.poked(1, 40);
        mailbox.loaded(asked, 100, false);
        assertThat(mailbox.behind()).isTrue();
        assertThat(mailbox.cursor()).as("the revived one may be any behind it").isEqualTo(10);
    }

    @Test
    void doesNotTakeAgainWhatEndedBetweenAQuestionAndItsAnswer() {
        Delivery underWay = delivery(JOB, 11);
        mailbox.add(underWay);
        mailbox.loading(true);
        mailbox.settled(underWay, 0);
        assertThat(mailbox.knows(11)).as("the answer may still show it as pending").isTrue();
        assertThat(mailbox.lowSeq()).as("it holds up nothing").isEqualTo(mailbox.cursor());
        mailbox.loading(false);
        assertThat(mailbox.knows(11)).isFalse();
    }

    @Test
    void onlyTheFirstOfAJobMayBeSent() {
        Chain chain = Objects.requireNonNull(mailbox.add(delivery(JOB, 11)));
        chain.put(Chain.Place.READY);
        assertThat(mailbox.add(delivery(JOB, 12))).as("waits for the one before").isNull();
        assertThat(mailbox.add(delivery(OTHER_JOB, 13))).isNotNull();
        assertThat(Objects.requireNonNull(chain.first()).seq()).isEqualTo(11);
        chain.removeFirst();
        assertThat(Objects.requireNonNull(chain.first()).seq()).isEqualTo(12);
    }

    @Test
    void oneThatIsTriedAgainGoesBeforeLaterOnesButNotBeforeOneUnderWay() {
        Chain chain = Objects.requireNonNull(mailbox.add(delivery(JOB, 15)));
        chain.put(Chain.Place.FLYING);
        mailbox.add(delivery(JOB, 16));
        mailbox.add(delivery(JOB, 11));
        List<Long> order = new ArrayList<>();
        chain.deliveries().forEach(each -> order.add(each.seq()));
        assertThat(order).containsExactly(15L, 11L, 16L);
    }

    @Test
    void itsLowSeqIsBelowWhatIsNotWrittenDown() {
        Delivery first = delivery(JOB, 11);
        mailbox.add(first);
        mailbox.add(delivery(OTHER_JOB, 14));
        mailbox.read(20);
        assertThat(mailbox.lowSeq()).isEqualTo(10);
        mailbox.settled(first, 0);
        assertThat(mailbox.lowSeq()).isEqualTo(13);
    }

    @Test
    void oneThatIsNeverSentHoldsUpTheLowSeqUntilItsEndIsWrittenDown() {
        Delivery old = delivery(JOB, 11);
        mailbox.track(old);
        mailbox.read(20);
        mailbox.shrink();
        assertThat(mailbox.lowSeq()).isEqualTo(10);
        assertThat(mailbox.chains()).isEmpty();
        mailbox.settled(old, 0);
        assertThat(mailbox.lowSeq()).isEqualTo(20);
    }

    @Test
    void shrinkingKeepsWhatIsUnderWayOrNotWrittenDownAndReadsTheRestAgain() {
        Chain flying = Objects.requireNonNull(mailbox.add(delivery(JOB, 11)));
        flying.put(Chain.Place.FLYING);
        mailbox.add(delivery(JOB, 12));
        Delivery failed = delivery(OTHER_JOB, 13);
        failed.writing();
        Chain resting = Objects.requireNonNull(mailbox.add(failed));
        resting.put(Chain.Place.RESTING);
        UUID third = UUID.randomUUID();
        Chain ready = Objects.requireNonNull(mailbox.add(delivery(third, 14)));
        ready.put(Chain.Place.READY);
        mailbox.read(20);
        mailbox.shrink();
        assertThat(mailbox.knows(11)).isTrue();
        assertThat(mailbox.knows(12)).isFalse();
        assertThat(mailbox.knows(13)).isTrue();
        assertThat(mailbox.knows(14)).isFalse();
        assertThat(ready.place()).isEqualTo(Chain.Place.GONE);
        assertThat(mailbox.cursor()).isEqualTo(11);
        assertThat(mailbox.behind()).isTrue();
    }
}
