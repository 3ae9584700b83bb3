package dev.muster.core.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

class UndoableTablesTest {

    private final UndoLog undo = new UndoLog();

    @Test
    void indexesPairsLikeAMapThroughInsertsRemovesGrowthAndRollback() {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            PairIndex index = new PairIndex(undo);
            SlotAllocator slots = new SlotAllocator(undo);
            SortedMap<Long, Integer> expected = new TreeMap<>();
            for (int round = 0; round < 20; round++) {
                SortedMap<Long, Integer> atMark = new TreeMap<>(expected);
                int mark = undo.mark();
                change(random, index, slots, expected);
                if (random.nextBoolean()) {
                    undo.rollback(mark);
                    expected = atMark;
                } else {
                    undo.forget(mark);
                }
                for (long key = 0; key < 60; key++) {
                    assertThat(index.find(key, key % 3))
                            .as("seed %d key %d", seed, key)
                            .isEqualTo(expected.getOrDefault(key, -1));
                }
                assertThat(index.size()).isEqualTo(expected.size());
            }
        }
    }

    private static void change(
            Random random,
            PairIndex index,
            SlotAllocator slots,
            SortedMap<Long, Integer> expected) {
        for (int i = 0; i < 30; i++) {
            long key = random.nextInt(60);
            Integer slot = expected.remove(key);
            if (slot == null) {
                int fresh = slots.take();
                index.put(fresh, key, key % 3);
                expected.put(key, fresh);
            } else {
                index.remove(slot);
                slots.give(slot);
            }
        }
    }

    @Test
    void countsTheHoldersOfANameAndUsesItsIdAgain() {
        NameTable names = new NameTable(undo);
        int id = names.acquire("default");
        assertThat(names.acquire("default")).isEqualTo(id);
        names.release(id);
        assertThat(names.find("default")).isEqualTo(id);
        names.release(id);
        assertThat(names.find("default")).isEqualTo(-1);
        assertThat(names.acquire("night")).isEqualTo(id);
    }

    @Test
    void takesBackOnlyTheLatestMark() {
        LongCell cell = new LongCell(undo);
        int outer = undo.mark();
        cell.set(1);
        int inner = undo.mark();
        cell.set(2);
        assertThatIllegalArgumentException().isThrownBy(() -> undo.rollback(outer));
        undo.forget(inner);
        assertThat(cell.get()).isEqualTo(2);
        undo.rollback(outer);
        assertThat(cell.get()).isZero();
        assertThatIllegalArgumentException().isThrownBy(() -> undo.forget(outer));
    }

    @Test
    void keepsABagWithoutRepeats() {
        IntBag bag = new IntBag(undo);
        bag.add(7);
        bag.add(3);
        bag.add(7);
        assertThat(bag.size()).isEqualTo(2);
        int mark = undo.mark();
        bag.remove(7);
        bag.add(9);
        bag.clear();
        assertThat(bag.contains(3)).isFalse();
        undo.rollback(mark);
        List<Integer> left = new ArrayList<>();
        for (int i = 0; i < bag.size(); i++) {
            left.add(bag.at(i));
        }
        assertThat(left).containsExactlyInAnyOrder(7, 3);
    }
}
