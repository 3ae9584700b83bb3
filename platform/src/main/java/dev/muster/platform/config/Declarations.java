package dev.muster.platform.config;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * What a module declares: its settings and its failpoints. Found through {@link ServiceLoader}, so
 * that pages and tests can go over all of them and nothing is declared in two places.
 */
public interface Declarations {

    List<Setting<?>> settings();

    /**
     * Names of the durable or visible steps at which a test kills, such as {@code
     * gateway.accepted.committed}.
     */
    default List<String> failpoints() {
        return List.of();
    }

    /** All modules on the class path. */
    static List<Declarations> all() {
        return ServiceLoader.load(Declarations.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    static List<Setting<?>> allSettings() {
        List<Setting<?>> settings = new ArrayList<>();
        all().forEach(each -> settings.addAll(each.settings()));
        return List.copyOf(settings);
    }

    static List<String> allFailpoints() {
        return all().stream().flatMap(each -> each.failpoints().stream()).sorted().toList();
    }
}
