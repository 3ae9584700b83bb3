package dev.muster.domain;

/**
 * One broken rule of a request.
 *
 * @param path of the field: {@code inputs[1].name}
 * @param value as given, cut and escaped
 * @param rule in words
 * @param allowed range or form that would be accepted, empty if the rule says it
 */
public record Violation(String path, String value, String rule, String allowed) {

    private static final int SHOWN_CHARACTERS = 80;

    /** Cuts and escapes the value, so that a violation can be shown and logged as it is. */
    public static Violation of(String path, Object value, String rule, String allowed) {
        return new Violation(path, shown(String.valueOf(value)), rule, allowed);
    }

    private static String shown(String value) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < value.length() && i < SHOWN_CHARACTERS; i++) {
            char c = value.charAt(i);
            if (Character.isISOControl(c) || Character.isSurrogate(c)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return value.length() > SHOWN_CHARACTERS ? out.append('…').toString() : out.toString();
    }
}
