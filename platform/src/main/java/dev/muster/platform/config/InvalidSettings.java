package dev.muster.platform.config;

import java.util.List;

/** Settings that cannot be used: every problem at once, one sentence each. */
public final class InvalidSettings extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient List<String> problems;

    public InvalidSettings(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    public List<String> problems() {
        return problems;
    }
}
