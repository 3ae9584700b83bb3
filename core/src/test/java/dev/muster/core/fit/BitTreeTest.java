package dev.muster.core.fit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Random;
import java.util.TreeSet;

class BitTreeTest {

    @Test
    void findsWhatASortedSetFindsAtEverySize() {
        for (int capacity : new int[] {1, 63, 64, 65, 4096, 4097, 300_000}) {
            Random random = new Random(capacity);
            BitTree tree = new BitTree(capacity);
            TreeSet<Integer> expected = new TreeSet<>();
            for (int step = 0; step < 3000; step++) {
                int element = random.nextInt(capacity);
                if (random.nextInt(5) < 3) {
                    tree.add(element);
                    expected.add(element);
                } else {
                    tree.remove(element);
                    expected.remove(element);
                }
                int from = random.nextInt(capacity + 1);
                Integer next = expected.ceiling(from);
                assertThat(tree.next(from)).isEqualTo(next == null ? -1 : next);
                assertThat(tree.isEmpty()).isEqualTo(expected.isEmpty());
            }
        }
    }
}
