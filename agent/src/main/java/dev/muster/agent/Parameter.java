package dev.muster.agent;

/** A hyper-parameter, appended to the command as {@code --name value}. */
public record Parameter(String name, String value) {}
