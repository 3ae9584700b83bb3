package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.TreeSet;

class PublishedTailTest {

    private static PublishedTail tail(Long... seqs) {
        return new PublishedTail(new TreeSet<>(List.of(seqs)));
    }

    @Test
    void eventsUpToTheJournalsEndAreNoHistoryBeyondIt() {
        assertThat(tail().goesBeyond(0)).isFalse();
        assertThat(tail(8L, 9L, 10L).goesBeyond(10)).isFalse();
        assertThat(tail(8L, 9L, 10L).lastUpTo(10)).isEqualTo(10);
    }

    @Test
    void aRunOfEventsBeyondTheJournalsEndIsOne() {
        assertThat(tail(9L, 10L, 11L).goesBeyond(10)).isTrue();
        assertThat(tail(70L, 71L).goesBeyond(10)).isTrue();
        assertThat(tail(1L).goesBeyond(0)).isTrue();
    }

    @Test
    void oneNumberFarBeyondIsADamagedRecord() {
        PublishedTail damaged = tail(9L, 10L, 1_000_000L);
        assertThat(damaged.goesBeyond(10)).isFalse();
        assertThat(damaged.lastUpTo(10)).isEqualTo(10);
    }
}
