package dev.muster.domain;

import org.jspecify.annotations.Nullable;

import java.util.Locale;

/**
 * A place in an object store or in a file system, as {@code scheme://bucket/prefix} or as an
 * absolute path, in a form in which two of them can be compared.
 */
final class StorageLocation {

    static final String FORM =
            "scheme://bucket/prefix or an absolute path, without . and .. elements";

    private final String comparable;

    private StorageLocation(String comparable) {
        this.comparable = comparable;
    }

    /** Null if the text is no location. */
    static @Nullable StorageLocation parse(String text) {
        int scheme = text.indexOf("://");
        boolean path = text.startsWith("/");
        if (!path && (scheme < 1 || !schemeAllowed(text, scheme))) {
            return null;
        }
        String prefix = path ? "" : text.substring(0, scheme).toLowerCase(Locale.ROOT) + "://";
        String rest = path ? text : text.substring(scheme + 3);
        if (prefix.equals("file://")) {
            prefix = "";
        }
        if (rest.isEmpty() || (prefix.isEmpty() && !rest.startsWith("/"))) {
            return null;
        }
        if (!prefix.isEmpty() && rest.startsWith("/")) {
            return null;
        }
        return elements(prefix, rest);
    }

    private static @Nullable StorageLocation elements(String prefix, String rest) {
        StringBuilder out = new StringBuilder(prefix);
        int from = 0;
        while (from <= rest.length()) {
            int slash = rest.indexOf('/', from);
            int to = slash < 0 ? rest.length() : slash;
            int length = to - from;
            if (LocalPath.isDots(rest, from, to) || hasControl(rest, from, to)) {
                return null;
            }
            if (length > 0) {
                out.append(rest, from, to).append('/');
            }
            from = to + 1;
        }
        return new StorageLocation(out.toString());
    }

    private static boolean schemeAllowed(String text, int end) {
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (!letter && !(i > 0 && ((c >= '0' && c <= '9') || c == '+' || c == '-'))) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasControl(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (Character.isISOControl(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    /** Equal to, above or below the other. */
    boolean overlaps(StorageLocation other) {
        return comparable.startsWith(other.comparable) || other.comparable.startsWith(comparable);
    }
}
