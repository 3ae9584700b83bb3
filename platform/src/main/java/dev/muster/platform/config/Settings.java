package dev.muster.platform.config;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** The values in force. Immutable. */
public final class Settings {

    private final Map<String, Setting<?>> known;
    private final Map<String, Object> values;
    private final List<String> remarks;

    Settings(Map<String, Setting<?>> known, Map<String, Object> values, List<String> remarks) {
        this.known = Map.copyOf(known);
        this.values = Map.copyOf(values);
        this.remarks = List.copyOf(remarks);
    }

    /** Every declared key at its default. */
    public static Settings defaults() {
        return new SettingsLoader(Declarations.allSettings()).load();
    }

    /**
     * Default &lt; file &lt; environment &lt; overrides, of all declared keys.
     *
     * @param file a YAML file that need not exist
     * @throws InvalidSettings with every problem at once
     */
    public static Settings load(
            Path file, Map<String, String> environment, Map<String, String> overrides) {
        return new SettingsLoader(Declarations.allSettings())
                .file(file)
                .environment(environment)
                .overrides(overrides)
                .load();
    }

    /**
     * @throws IllegalStateException if no {@link Declarations} on the class path lists the key
     */
    @SuppressWarnings("unchecked") // the value was made by this setting's own parser
    public <T> T get(Setting<T> setting) {
        if (known.get(setting.name()) != setting) {
            throw new IllegalStateException("setting " + setting + " is not declared");
        }
        return (T)
                Objects.requireNonNull(values.getOrDefault(setting.name(), setting.defaultValue()));
    }

    /** A copy with another value, such as the port at which an embedded server came up. */
    public <T> Settings with(Setting<T> setting, T value) {
        Map<String, Object> changed = new HashMap<>(values);
        changed.put(setting.name(), value);
        return new Settings(known, changed, remarks);
    }

    /** Remarks for the log, such as a variable {@code MUSTER_…} that names no key. */
    public List<String> remarks() {
        return remarks;
    }

    /** What differs from the defaults, secrets hidden: for the log at start. */
    public Map<String, String> changed() {
        Map<String, String> shown = new TreeMap<>();
        values.forEach((name, value) ->
                shown.put(
                        name,
                        find(name).filter(Setting::isSecret).isPresent()
                                ? "***"
                                : value.toString()));
        return shown;
    }

    private Optional<Setting<?>> find(String name) {
        @Nullable Setting<?> setting = known.get(name);
        return Optional.ofNullable(setting);
    }
}
