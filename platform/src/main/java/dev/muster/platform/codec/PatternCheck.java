package dev.muster.platform.codec;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

import java.util.List;

/**
 * Whether a job's failure patterns can be watched for: RE2 takes time that grows with the length of
 * a line times the size of the patterns as they are compiled, where repeats are written out.
 */
final class PatternCheck {

    /** Of all patterns of a job together; 32 of 60 characters are smaller. */
    static final int MAX_SIZE = 2000;

    /** RE2 bounds each by itself, but not one within another: (((x{100}){100}){100}){100}. */
    private static final int MAX_REPEATS = 1000;

    private static final Pattern REPEAT =
            Pattern.compile("([)}?*+]?)\\{([0-9]{1,9})(?:,([0-9]{0,9}))?\\}");

    private final String list;

    PatternCheck(String list) {
        this.list = list;
    }

    void check(List<String> patterns, SpecReader reader) {
        long size = 0;
        for (int i = 0; i < patterns.size() && size <= MAX_SIZE; i++) {
            String pattern = patterns.get(i);
            String path = list + '[' + i + ']';
            if (repeats(pattern) > MAX_REPEATS) {
                reader.found(
                        path,
                        pattern,
                        "repeats too often",
                        "repeats within repeats that come to at most " + MAX_REPEATS);
                continue;
            }
            try {
                size += Pattern.compile(pattern).programSize();
            } catch (PatternSyntaxException e) {
                reader.found(path, pattern, "is no pattern: " + e.getDescription(), "RE2 syntax");
            }
        }
        if (size > MAX_SIZE) {
            reader.found(
                    list,
                    size,
                    "is too large when compiled, with every repeat written out",
                    "at most " + MAX_SIZE + " for all patterns together");
        }
    }

    /** At least what the deepest repeats within each other come to; known before it is compiled. */
    private static long repeats(String pattern) {
        long ofGroups = 1;
        long single = 1;
        Matcher repeat = REPEAT.matcher(pattern);
        while (repeat.find()) {
            String most = repeat.group(3);
            long times =
                    Math.max(
                            Long.parseLong(repeat.group(2)),
                            most == null || most.isEmpty() ? 1 : Long.parseLong(most));
            if (repeat.group(1).isEmpty()) {
                single = Math.max(single, times);
            } else {
                ofGroups = Math.min(ofGroups * Math.max(1, times), MAX_REPEATS + 1L);
            }
        }
        return ofGroups * single;
    }
}
