package dev.muster.domain;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToIntFunction;

/** The limits in force: the defaults of {@link Limit}, or what the operator set instead. */
public record Limits(Map<Limit, Integer> values) {

    public static final Limits DEFAULTS = of(Limit::byDefault);

    /**
     * @throws IllegalArgumentException if a limit is missing or set outside its range
     */
    public Limits {
        Map<Limit, Integer> complete = new EnumMap<>(Limit.class);
        for (Limit limit : Limit.values()) {
            Integer value = values.get(limit);
            if (value == null || value < limit.least() || value > limit.greatest()) {
                throw new IllegalArgumentException(
                        "limit "
                                + limit.key()
                                + " lies in "
                                + limit.least()
                                + ".."
                                + limit.greatest()
                                + ", not "
                                + value);
            }
            complete.put(limit, value);
        }
        values = java.util.Collections.unmodifiableMap(complete);
    }

    /** Asks a source, such as the configuration, for each limit. */
    public static Limits of(ToIntFunction<Limit> source) {
        Map<Limit, Integer> values = new EnumMap<>(Limit.class);
        for (Limit limit : Limit.values()) {
            values.put(limit, source.applyAsInt(limit));
        }
        return new Limits(values);
    }

    public int get(Limit limit) {
        return Objects.requireNonNull(values.get(limit));
    }

    /** These limits with one of them changed. */
    public Limits with(Limit limit, int value) {
        Map<Limit, Integer> changed = new EnumMap<>(values);
        changed.put(limit, value);
        return new Limits(changed);
    }
}
