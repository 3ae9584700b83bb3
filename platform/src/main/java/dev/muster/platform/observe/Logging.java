package dev.muster.platform.observe;

import static dev.muster.platform.config.PlatformSettings.LOG_FORMAT;
import static dev.muster.platform.config.PlatformSettings.LOG_LEVEL;

import dev.muster.platform.config.Settings;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configuration;

/** The log as the settings want it; what a line looks like stands in {@code log4j2.xml}. */
public final class Logging {

    private Logging() {}

    /** Changes nothing where another configuration than ours is in force. */
    public static void apply(Settings settings) {
        LoggerContext log = (LoggerContext) LogManager.getContext(false);
        Configuration configuration = log.getConfiguration();
        Appender wanted =
                switch (settings.get(LOG_FORMAT)) {
                    case TEXT -> configuration.getAppender("text");
                    case JSON -> configuration.getAppender("json");
                };
        if (wanted == null) {
            return;
        }
        configuration
                .getRootLogger()
                .getAppenders()
                .keySet()
                .forEach(configuration.getRootLogger()::removeAppender);
        configuration.getRootLogger().addAppender(wanted, null, null);
        RecentLog.INSTANCE.start();
        configuration.getRootLogger().addAppender(RecentLog.INSTANCE, null, null);
        configuration
                .getLoggerConfig("dev.muster")
                .setLevel(Level.valueOf(settings.get(LOG_LEVEL).name()));
        log.updateLoggers();
    }
}
