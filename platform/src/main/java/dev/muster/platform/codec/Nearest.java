package dev.muster.platform.codec;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.Locale;

/** Finds the word that somebody most likely meant. */
final class Nearest {

    private static final int MAX_LENGTH = 32;
    private static final int MAX_EDITS = 2;

    private Nearest() {}

    /** The word with the fewest edits, at most two and case aside; null if there is none. */
    static @Nullable String to(String given, Collection<String> words) {
        if (given.length() > MAX_LENGTH) {
            return null;
        }
        String best = null;
        int least = MAX_EDITS + 1;
        for (String word : words) {
            int edits = edits(given.toLowerCase(Locale.ROOT), word.toLowerCase(Locale.ROOT));
            boolean ties = edits == least && best != null && word.compareTo(best) < 0;
            if (edits < least || ties) {
                least = edits;
                best = word;
            }
        }
        return best;
    }

    private static int edits(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? diagonal : diagonal + 1;
                diagonal = row[j];
                row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
