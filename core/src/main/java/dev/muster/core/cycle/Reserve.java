package dev.muster.core.cycle;

/**
 * What a gang that does not fit may hold back from those behind it. The policy so far is traverse:
 * nothing is held back, whoever fits goes on, in order of priority and age. A gang can starve under
 * it; reservations with backfill take this class's place.
 */
final class Reserve {

    /** Whether jobs behind the blocked class may still be placed in this cycle. */
    boolean othersMayPass(int waitClass) {
        return true;
    }
}
