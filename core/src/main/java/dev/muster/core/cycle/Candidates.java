package dev.muster.core.cycle;

import dev.muster.core.state.PoolState;

import java.util.Arrays;

/** Active wait classes as a heap by their oldest jobs: higher priority first, then age. */
final class Candidates {

    private final PoolState state;
    private int[] heap = new int[16];
    private int size;

    Candidates(PoolState state) {
        this.state = state;
    }

    void clear() {
        size = 0;
    }

    boolean isEmpty() {
        return size == 0;
    }

    void add(int waitClass) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size * 2);
        }
        int at = size++;
        while (at > 0 && before(waitClass, heap[(at - 1) / 2])) {
            heap[at] = heap[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        heap[at] = waitClass;
    }

    int first() {
        return heap[0];
    }

    void removeFirst() {
        size--;
        if (size > 0) {
            sink(heap[size]);
        }
    }

    /** The first class has another oldest job now. */
    void firstChanged() {
        sink(heap[0]);
    }

    private void sink(int waitClass) {
        int at = 0;
        while (2 * at + 1 < size) {
            int child = 2 * at + 1;
            if (child + 1 < size && before(heap[child + 1], heap[child])) {
                child++;
            }
            if (!before(heap[child], waitClass)) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = waitClass;
    }

    private boolean before(int a, int b) {
        int left = state.waiting.priority(a);
        int right = state.waiting.priority(b);
        return left != right ? left > right : age(a) < age(b);
    }

    private long age(int waitClass) {
        return state.jobs.submittedSeq.get(state.waiting.head(waitClass));
    }
}
