package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.domain.Event;
import dev.muster.platform.codec.EncodedEvent;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;

class RowFeedTest {

    private final List<CommittedRow> journal = new ArrayList<>();
    private int journalReads;

    @Test
    void givesRowsFromMemoryWithoutAskingTheJournal() throws InterruptedException {
        RowFeed feed = feed(1 << 20, 0);
        commit(feed, 1, 3);
        commit(feed, 4, 4);
        assertThat(drain(feed)).containsExactly(3L, 4L);
        assertThat(journalReads).isEqualTo(1);
    }

    @Test
    void returnsFromAWaitWhenItIsWoken() throws InterruptedException {
        RowFeed feed = feed(1 << 20, 0);
        feed.wake();
        long from = System.nanoTime();
        assertThat(feed.next(600_000)).isNull();
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofMinutes(5));
    }

    @Test
    void readsTheJournalForWhatDidNotFitAndReturnsToMemory() throws InterruptedException {
        RowFeed feed = feed(1, 0);
        for (long seq = 1; seq <= 5; seq++) {
            commit(feed, seq, seq);
        }
        assertThat(drain(feed)).containsExactly(1L, 2L, 3L, 4L, 5L);
        int before = journalReads;
        commit(feed, 6, 6);
        assertThat(feed.next(1000)).isNotNull();
        assertThat(journalReads).isEqualTo(before);
    }

    @Test
    void givesEachRowOnceWhenMemoryAndJournalOverlap() throws InterruptedException {
        RowFeed feed = feed(1 << 20, 0);
        journal.add(row(1, 2));
        journal.add(row(3, 4));
        commit(feed, 5, 6);
        commit(feed, 7, 7);
        assertThat(drain(feed)).containsExactly(2L, 4L, 6L, 7L);
    }

    @Test
    void beginsInsideARow() throws InterruptedException {
        RowFeed feed = feed(1 << 20, 2);
        commit(feed, 1, 3);
        assertThat(drain(feed)).containsExactly(3L);
    }

    @Test
    void refusesAJournalWithAHole() {
        RowFeed feed = feed(1 << 20, 0);
        journal.add(row(2, 2));
        assertThatThrownBy(() -> feed.next(0)).isInstanceOf(IllegalStateException.class);
    }

    private RowFeed feed(long maxBytes, long seq) {
        return new RowFeed(this::read, maxBytes, seq);
    }

    private Queue<CommittedRow> read(long seq) {
        journalReads++;
        return new ArrayDeque<>(
                journal.stream().filter(row -> row.lastSeq() > seq).limit(2).toList());
    }

    private void commit(RowFeed feed, long first, long last) {
        CommittedRow row = row(first, last);
        journal.add(row);
        feed.offer(row);
    }

    private static CommittedRow row(long first, long last) {
        List<EncodedEvent> events = new ArrayList<>();
        for (long seq = first; seq <= last; seq++) {
            events.add(EncodedEvent.of(new Event.InputsAbsorbed(1)));
        }
        return new CommittedRow(first, last, 1, Map.of(), events);
    }

    private static List<Long> drain(RowFeed feed) throws InterruptedException {
        List<Long> seqs = new ArrayList<>();
        CommittedRow row;
        while ((row = feed.next(0)) != null) {
            seqs.add(row.lastSeq());
        }
        return seqs;
    }
}
