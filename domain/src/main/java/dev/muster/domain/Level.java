package dev.muster.domain;

/** How a job event is to be read. */
public enum Level {
    INFO,
    WARNING,
    ERROR
}
