package dev.muster.agent;

/** What an instance runs. */
public sealed interface Program {

    /**
     * Run by {@code sh -c} from the working directory; parameters are appended, each quoted. The
     * text is the user's own shell program and is handed on as one argument, never put into
     * another.
     */
    record ShellCommand(String text) implements Program {
        public ShellCommand {
            if (text.isBlank()) {
                throw new IllegalArgumentException("the command is empty");
            }
        }
    }

    /**
     * A file of the code directory: {@code python} runs {@code .py}, {@code bash} runs {@code .sh}.
     *
     * @param path below the code directory
     */
    record BootFile(String path) implements Program {
        public BootFile {
            if (!path.endsWith(".py") && !path.endsWith(".sh")) {
                throw new IllegalArgumentException(
                        "boot file '" + path + "' is neither a .py nor a .sh file");
            }
        }
    }
}
