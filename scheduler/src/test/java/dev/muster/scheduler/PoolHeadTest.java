package dev.muster.scheduler;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.Map;

class PoolHeadTest {

    private final PoolHead head = new PoolHead(2, 34, 0, Map.of(), Map.of(), "scheduler-1", 0);

    @Test
    void beginsAtTheEndOfItsRows() {
        assertThatCode(() -> head.requireRowsUpTo(34)).doesNotThrowAnyException();
    }

    /** Found by the fault simulation: seed 173 stopped a leader between its epoch and its rows. */
    @Test
    void isOverWhenOthersLedBeforeItBegan() {
        assertThatThrownBy(() -> head.requireRowsUpTo(98))
                .isInstanceOf(Fenced.class)
                .hasMessageContaining("others have led since");
    }

    @Test
    void refusesAJournalThatLacksRows() {
        assertThatThrownBy(() -> head.requireRowsUpTo(33)).isInstanceOf(UnreadableJournal.class);
    }
}
