package dev.muster.core.cycle;

import java.util.Arrays;

/** Classes that did not fit in this cycle, in the order in which they were tried. */
final class Blocked {

    private int[] classes = new int[16];
    private int size;

    void clear() {
        size = 0;
    }

    void add(int waitClass) {
        if (size == classes.length) {
            classes = Arrays.copyOf(classes, size * 2);
        }
        classes[size++] = waitClass;
    }

    int size() {
        return size;
    }

    int at(int position) {
        return classes[position];
    }
}
