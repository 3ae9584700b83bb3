package dev.muster.agent;

/** How the process learns where an input or output lies. */
public enum Access {
    /** {@code --name <local path>} is appended to the command. */
    PARAMETER,
    /** An environment variable named exactly as the input or output. */
    ENV
}
