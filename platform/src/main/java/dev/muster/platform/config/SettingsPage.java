package dev.muster.platform.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The page of all settings, made from their declarations so that it cannot drift. */
public final class SettingsPage {

    private SettingsPage() {}

    /** A Markdown table, in order of name. */
    public static String markdown(Collection<Setting<?>> settings) {
        StringBuilder page = new StringBuilder();
        page.append("| key | variable | default | allowed | what for |\n|---|---|---|---|---|\n");
        List<Setting<?>> sorted =
                settings.stream()
                        .sorted(Comparator.<Setting<?>, String>comparing(Setting::name))
                        .toList();
        for (Setting<?> each : sorted) {
            page.append(
                    "| `%s` | `%s` | %s | %s | %s |\n"
                            .formatted(
                                    each.name(),
                                    each.environmentName(),
                                    shownDefault(each),
                                    each.range(),
                                    each.doc()));
        }
        return page.toString();
    }

    private static String shownDefault(Setting<?> setting) {
        if (setting.isSecret()) {
            return "(secret)";
        }
        String text =
                setting.defaultValue() instanceof List<?> list
                        ? String.join(", ", list.stream().map(Object::toString).toList())
                        : setting.defaultValue().toString();
        String shown =
                setting.defaultValue() instanceof Enum<?> ? text.toLowerCase(Locale.ROOT) : text;
        return shown.isEmpty() ? "" : "`" + shown + "`";
    }
}
