package dev.muster.platform.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A declared key: name, type, default, range, what it is for, and whether its value is secret.
 * Modules declare their keys as constants and list them in their {@link Declarations}.
 *
 * @param <T> type of the value
 */
public final class Setting<T> {

    /** Turns what a file or a variable holds into a value. */
    private interface Parser<T> {
        /**
         * @throws IllegalArgumentException whose message completes "must be …"
         */
        T parse(Object raw);
    }

    private final String name;
    private final T defaultValue;
    private final String range;
    private final String doc;
    private final boolean secret;
    private final Parser<T> parser;

    private Setting(Builder b, T defaultValue, String range, Parser<T> parser) {
        this.name = b.name;
        this.doc = b.doc;
        this.secret = b.secret;
        this.defaultValue = defaultValue;
        this.range = range;
        this.parser = parser;
    }

    private record Builder(String name, String doc, boolean secret) {}

    public static Setting<Integer> integer(
            String name, int defaultValue, int min, int max, String doc) {
        String range = "a whole number from " + min + " to " + max;
        return new Setting<>(
                new Builder(name, doc, false),
                defaultValue,
                range,
                raw -> (int) wholeWithin(raw, min, max, range));
    }

    public static Setting<Long> whole(
            String name, long defaultValue, long min, long max, String doc) {
        String range = "a whole number from " + min + " to " + max;
        return new Setting<>(
                new Builder(name, doc, false),
                defaultValue,
                range,
                raw -> wholeWithin(raw, min, max, range));
    }

    public static Setting<Boolean> flag(String name, boolean defaultValue, String doc) {
        return new Setting<>(
                new Builder(name, doc, false), defaultValue, "true or false", Setting::parseFlag);
    }

    public static Setting<String> text(String name, String defaultValue, String doc) {
        return new Setting<>(
                new Builder(name, doc, false), defaultValue, "text", Setting::parseText);
    }

    /**
     * A value that never appears in logs, events, errors or the settings page; empty by default.
     */
    public static Setting<String> secret(String name, String doc) {
        return new Setting<>(new Builder(name, doc, true), "", "text", Setting::parseText);
    }

    /** In a file a list, elsewhere separated by commas. */
    public static Setting<List<String>> list(String name, List<String> defaultValue, String doc) {
        return new Setting<>(
                new Builder(name, doc, false),
                List.copyOf(defaultValue),
                "a list, or names separated by commas",
                Setting::parseList);
    }

    /**
     * A list whose elements follow a rule.
     *
     * @param range in words
     */
    public static Setting<List<String>> list(
            String name,
            List<String> defaultValue,
            String range,
            Predicate<String> fits,
            String doc) {
        return new Setting<>(
                new Builder(name, doc, false),
                List.copyOf(defaultValue),
                range,
                raw -> {
                    List<String> elements = parseList(raw);
                    if (!elements.stream().allMatch(fits)) {
                        throw new IllegalArgumentException(range);
                    }
                    return elements;
                });
    }

    public static <E extends Enum<E>> Setting<E> choice(String name, E defaultValue, String doc) {
        Class<E> type = defaultValue.getDeclaringClass();
        String range =
                "one of "
                        + Arrays.stream(type.getEnumConstants())
                                .map(Setting::shown)
                                .collect(Collectors.joining(", "));
        return new Setting<>(
                new Builder(name, doc, false),
                defaultValue,
                range,
                raw -> parseChoice(type, raw, range));
    }

    public String name() {
        return name;
    }

    /**
     * {@code scheduler.leaseMillis} is {@code MUSTER_SCHEDULER_LEASE_MILLIS} in the environment.
     */
    public String environmentName() {
        return "MUSTER_"
                + name.replaceAll("([a-z0-9])([A-Z])", "$1_$2")
                        .replace('.', '_')
                        .toUpperCase(Locale.ROOT);
    }

    public T defaultValue() {
        return defaultValue;
    }

    /** What values are allowed, in words. */
    public String range() {
        return range;
    }

    public String doc() {
        return doc;
    }

    public boolean isSecret() {
        return secret;
    }

    /**
     * @throws IllegalArgumentException with one sentence that names key, value and range
     */
    T parse(Object raw) {
        try {
            return parser.parse(raw);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    name
                            + " must be "
                            + e.getMessage()
                            + ", not "
                            + (secret ? "this" : quoted(raw)),
                    e);
        }
    }

    private static String quoted(Object raw) {
        String text = String.valueOf(raw);
        return '"' + (text.length() > 80 ? text.substring(0, 80) + "…" : text) + '"';
    }

    private static long wholeWithin(Object raw, long min, long max, String range) {
        long value;
        try {
            value = Long.parseLong(raw.toString().strip().replace("_", ""));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(range, e);
        }
        if (value < min || value > max) {
            throw new IllegalArgumentException(range);
        }
        return value;
    }

    private static Boolean parseFlag(Object raw) {
        return switch (raw.toString().strip().toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("true or false");
        };
    }

    private static String parseText(Object raw) {
        if (raw instanceof List<?>) {
            throw new IllegalArgumentException("text");
        }
        return raw.toString();
    }

    private static List<String> parseList(Object raw) {
        if (raw instanceof List<?> list) {
            return list.stream().map(Object::toString).toList();
        }
        return Arrays.stream(raw.toString().split(",", -1))
                .map(String::strip)
                .filter(s -> !s.isEmpty())
                .toList();
    }

    private static <E extends Enum<E>> E parseChoice(Class<E> type, Object raw, String range) {
        for (E each : type.getEnumConstants()) {
            if (shown(each).equalsIgnoreCase(raw.toString().strip())) {
                return each;
            }
        }
        throw new IllegalArgumentException(range);
    }

    private static String shown(Enum<?> each) {
        return each.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return name;
    }
}
