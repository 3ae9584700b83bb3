package dev.muster.platform.config;

import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Lays the sources of settings over one another and gathers every problem before it refuses. */
public final class SettingsLoader {

    /** Variables of this prefix that are no settings. */
    private static final List<String> OTHER_VARIABLES =
            List.of(
                    "MUSTER_CRASH_AT",
                    "MUSTER_INSTANCE",
                    "MUSTER_URL",
                    "MUSTER_TOKEN",
                    "MUSTER_HOME");

    private static final int MAX_FILE_BYTES = 1 << 20;

    private final Map<String, Setting<?>> known = new HashMap<>();
    private final Map<String, Setting<?>> byVariable = new HashMap<>();
    private final Map<String, Object> values = new HashMap<>();
    private final List<String> problems = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

    public SettingsLoader(Collection<Setting<?>> declared) {
        for (Setting<?> setting : declared) {
            if (known.put(setting.name(), setting) != null
                    || byVariable.put(setting.environmentName(), setting) != null) {
                throw new IllegalStateException("setting " + setting + " is declared twice");
            }
        }
    }

    /** A YAML file; nested keys and dotted ones mean the same. One that does not exist is empty. */
    public SettingsLoader file(Path file) {
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                problems.add(file + " is longer than " + MAX_FILE_BYTES + " bytes");
                return this;
            }
            read(file, Files.readString(file));
        } catch (NoSuchFileException e) {
            return this;
        } catch (IOException e) {
            problems.add(file + " cannot be read: " + e.getClass().getSimpleName());
        }
        return this;
    }

    private void read(Path file, String text) {
        Object root;
        try {
            root =
                    new Load(LoadSettings.builder().setLabel(file.toString()).build())
                            .loadFromString(text);
        } catch (MarkedYamlEngineException e) {
            String where =
                    e.getProblemMark()
                            .map(m ->
                                    " at line "
                                            + (m.getLine() + 1)
                                            + ", column "
                                            + (m.getColumn() + 1))
                            .orElse("");
            problems.add(file + " is not valid YAML" + where + ": " + e.getProblem());
            return;
        } catch (YamlEngineException e) {
            problems.add(file + " is not valid YAML: " + firstLine(e.getMessage()));
            return;
        }
        if (root instanceof Map<?, ?> map) {
            flatten("", map, file.toString());
        } else if (root != null) {
            problems.add(file + " must hold keys and values");
        }
    }

    private static String firstLine(@Nullable String message) {
        return message == null ? "unreadable" : message.lines().findFirst().orElse("unreadable");
    }

    private void flatten(String prefix, Map<?, ?> map, String source) {
        map.forEach((key, value) -> {
            String name = prefix + key;
            if (value instanceof Map<?, ?> nested) {
                flatten(name + ".", nested, source);
            } else if (value != null) {
                put(name, value, source);
            }
        });
    }

    public SettingsLoader environment(Map<String, String> environment) {
        new TreeMap<>(environment)
                .forEach((variable, value) -> {
                    Setting<?> setting = byVariable.get(variable);
                    if (setting != null) {
                        put(setting.name(), value, variable);
                    } else if (variable.startsWith("MUSTER_")
                            && !OTHER_VARIABLES.contains(variable)) {
                        remarks.add("the variable " + variable + " names no setting");
                    }
                });
        return this;
    }

    public SettingsLoader overrides(Map<String, String> overrides) {
        overrides.forEach((name, value) -> put(name, value, "command line"));
        return this;
    }

    private void put(String name, Object raw, String source) {
        Setting<?> setting = known.get(name);
        if (setting == null) {
            problems.add("unknown setting " + name + " (" + source + ")" + suggestion(name));
            return;
        }
        try {
            values.put(name, setting.parse(raw));
        } catch (IllegalArgumentException e) {
            problems.add(e.getMessage() + " (" + source + ")");
        }
    }

    private String suggestion(String name) {
        return known.keySet().stream()
                .filter(each ->
                        each.equalsIgnoreCase(name)
                                || lastPart(each).equalsIgnoreCase(lastPart(name)))
                .sorted()
                .findFirst()
                .map(each -> ", did you mean " + each + "?")
                .orElse("");
    }

    private static String lastPart(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /**
     * @throws InvalidSettings with every problem of every source at once
     */
    public Settings load() {
        if (!problems.isEmpty()) {
            throw new InvalidSettings(problems);
        }
        return new Settings(known, values, remarks);
    }
}
