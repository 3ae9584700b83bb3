package dev.muster.platform.observe;

import static dev.muster.platform.config.PlatformSettings.LOG_LEVEL;

import dev.muster.platform.config.Settings;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;

/** Levels of the log as the settings want them; the form of a line is in {@code log4j2.xml}. */
public final class Logging {

    private Logging() {}

    public static void apply(Settings settings) {
        Configurator.setLevel("dev.muster", Level.valueOf(settings.get(LOG_LEVEL).name()));
    }
}
