package dev.muster.bench;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * Which processes are killed and when, from a seed alone. Every failpoint comes once before one
 * comes again, as far as the number of kills allows.
 */
final class KillPlan {

    private static final int MAX_DELAY_MILLIS = 2500;
    private static final int MAX_REACH = 12;

    /** The longest of the services' leases but the notifier's is 2.5 s. */
    private static final int MIN_PAUSE_MILLIS = 2600;

    private static final int MORE_PAUSE_MILLIS = 2500;

    /** Of a hundred kills: at random moments, so many when failpoints are left to reach. */
    private static final int MOMENTS_OF_100 = 40;

    private static final int PAIRS_OF_100 = 40;
    private static final int PAUSES_OF_100 = 20;
    private static final int ALSO_OF_100 = 25;

    /** One kill. */
    sealed interface Blow {}

    /** At any moment. */
    record AtMoment(List<KillPart> parts, int afterMillis) implements Blow {
        @Override
        public String toString() {
            return words(parts) + " at a moment";
        }
    }

    /**
     * When a step is reached for the n-th time.
     *
     * @param also what is killed at the same moment
     */
    record AtFailpoint(KillPart part, String failpoint, int reach, Optional<KillPart> also)
            implements Blow {
        @Override
        public String toString() {
            return "%s at %s:%d%s"
                    .formatted(
                            part.word(),
                            failpoint,
                            reach,
                            also.map(each -> ", and " + each.word()).orElse(""));
        }
    }

    /** Soon after another one was stopped for longer than its lease and goes on. */
    record AfterPause(KillPart paused, int pauseMillis, List<KillPart> parts, int afterMillis)
            implements Blow {
        @Override
        public String toString() {
            return "%s after %s was stopped for %d ms"
                    .formatted(words(parts), paused.word(), pauseMillis);
        }
    }

    private static String words(List<KillPart> parts) {
        return parts.stream().map(KillPart::word).collect(Collectors.joining(" and "));
    }

    private final Random random;
    private final List<String> failpoints;
    private final Deque<String> left;
    private int kills;

    /**
     * @param kills how many will be asked for
     */
    KillPlan(long seed, List<String> failpoints, int kills) {
        this.random = new Random(seed);
        this.failpoints = List.copyOf(failpoints);
        this.kills = kills;
        List<String> order = new ArrayList<>(failpoints);
        Collections.shuffle(order, random);
        this.left = new ArrayDeque<>(order);
    }

    Blow next() {
        int remaining = kills--;
        boolean moment = random.nextInt(100) < MOMENTS_OF_100;
        if (moment && remaining > left.size()) {
            return atMomentOrPaused();
        }
        String first = left.poll();
        if (first != null) {
            return at(first, 1);
        }
        return at(failpoints.get(random.nextInt(failpoints.size())), 1 + random.nextInt(MAX_REACH));
    }

    private Blow at(String failpoint, int reach) {
        List<KillPart> reaching = KillPart.reaching(failpoint);
        KillPart part = reaching.get(random.nextInt(reaching.size()));
        Optional<KillPart> also =
                random.nextInt(100) < ALSO_OF_100
                        ? Optional.of(another(part))
                        : Optional.<KillPart>empty();
        return new AtFailpoint(part, failpoint, reach, also);
    }

    private Blow atMomentOrPaused() {
        KillPart first = any();
        List<KillPart> parts =
                random.nextInt(100) < PAIRS_OF_100
                        ? List.of(first, another(first))
                        : List.of(first);
        int delay = random.nextInt(MAX_DELAY_MILLIS);
        if (random.nextInt(100) < PAUSES_OF_100) {
            int pause = MIN_PAUSE_MILLIS + random.nextInt(MORE_PAUSE_MILLIS);
            return new AfterPause(any(), pause, parts, delay);
        }
        return new AtMoment(parts, delay);
    }

    private KillPart any() {
        KillPart[] all = KillPart.values();
        return all[random.nextInt(all.length)];
    }

    private KillPart another(KillPart part) {
        KillPart other = any();
        while (other == part) {
            other = any();
        }
        return other;
    }
}
