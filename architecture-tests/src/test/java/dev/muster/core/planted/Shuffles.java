package dev.muster.core.planted;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Collections whose order differs from one JVM to the next; the rules are tried on it. */
public interface Shuffles {

    /** Its text depends on the JVM. */
    static String decide() {
        Map<Object, Integer> ranks = new HashMap<>();
        ranks.put(new Object(), 1);
        return ranks + Set.of("a", "b").stream().collect(Collectors.toSet()).toString();
    }
}
