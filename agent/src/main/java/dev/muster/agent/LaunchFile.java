package dev.muster.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What the supervisor's child reads before it becomes the command of one process start: working
 * directory, log, environment and the arguments, each quoted whole. The user's own text is one of
 * the arguments.
 */
final class LaunchFile {

    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** Shells give these a meaning of their own: a command that has one gets it by a program. */
    private static final Pattern SHELLS_OWN =
            Pattern.compile(
                    "_|IFS|OPT[A-Z]+|PS[0-9]|PPID|E?UID|GROUPS|ENV|LINENO|RANDOM|SRANDOM|SECONDS"
                            + "|EPOCH[A-Z]+|(OLD)?PWD|CDPATH|SHLVL|SHELLOPTS|FUNC[A-Z]+|DIRSTACK"
                            + "|HIST[A-Z]+|MAIL[A-Z]*|POSIXLY_CORRECT|GLOBIGNORE|BASH.*|ATTY");

    private static final String BEGIN = "# the log has bytes: ";

    private final InstancePlan plan;
    private final InstanceDirectories directories;

    LaunchFile(InstancePlan plan) {
        this.plan = plan;
        this.directories = plan.directories();
    }

    /** Where the command starts. */
    Path workingDirectory() {
        return directories.local(plan.workingDir().orElse(plan.localCodeDir()));
    }

    /**
     * @throws StepFailure if the command cannot be started as it is planned
     */
    void write(int processStart) throws IOException, StepFailure {
        Path work = workingDirectory();
        if (!Files.isDirectory(work)) {
            throw new StepFailure(
                    InstanceFailure.Step.START,
                    "the working directory "
                            + plan.workingDir().orElse(plan.localCodeDir())
                            + " does not exist when the command starts");
        }
        checkLogs();
        String text =
                BEGIN
                        + new SafeTree(plan.root()).size(directories.log(plan.id()))
                        + "\nwork="
                        + quoted(work.toString())
                        + "\nlog="
                        + quoted(directories.log(plan.id()).toString())
                        + "\nset --";
        Map<String, String> variables = new TreeMap<>(Variables.of(plan, processStart));
        variables.keySet().removeIf(name -> !VARIABLE.matcher(name).matches());
        Optional<LocalUser> user = LocalUser.of(plan);
        // what becomes another user is root as yet: it may not see what that user set
        boolean byShell =
                user.isEmpty()
                        && variables.keySet().stream()
                                .noneMatch(name -> SHELLS_OWN.matcher(name).matches());
        StringBuilder file = new StringBuilder(text);
        List<String> arguments = new ArrayList<>();
        user.ifPresent(account -> arguments.addAll(account.become()));
        if (!byShell) {
            arguments.addAll(List.of("env", "-i"));
            variables.forEach((name, value) -> arguments.add(name + "=" + value));
        }
        arguments.addAll(command(variables.getOrDefault("PATH", "")));
        for (String argument : arguments) {
            file.append(" \\\n  ").append(quoted(argument));
        }
        file.append('\n');
        if (byShell) {
            file.append("environment() {\n  unset PWD OLDPWD\n  export");
            variables.forEach((name, value) ->
                    file.append(" \\\n    ").append(name).append('=').append(quoted(value)));
            file.append("\n}\n");
        }
        ControlFiles.write(directories.control(), "launch-" + processStart, file.toString());
    }

    /** An earlier process start may have moved them. */
    private void checkLogs() throws StepFailure {
        Path on = plan.root();
        for (Path name : plan.root().relativize(directories.logs())) {
            on = on.resolve(name);
            if (!Files.isDirectory(on, LinkOption.NOFOLLOW_LINKS)) {
                throw new StepFailure(
                        InstanceFailure.Step.START,
                        "the log directory was moved or replaced before the command starts");
            }
        }
    }

    /** Where in the log the output of a process start begins; 0 if it was not launched here. */
    static long logBegin(InstancePlan plan, int processStart) throws IOException {
        return ControlFiles.read(plan.directories().control(), "launch-" + processStart)
                .filter(text -> text.startsWith(BEGIN))
                .map(text -> Long.parseLong(text.substring(BEGIN.length(), text.indexOf('\n'))))
                .orElse(0L);
    }

    private List<String> command(String path) throws StepFailure {
        List<String> arguments = new ArrayList<>();
        List<String> parameters = parameters();
        switch (plan.program()) {
            case Program.ShellCommand command -> {
                String text = command.text().stripTrailing();
                arguments.add("sh");
                arguments.add("-c");
                arguments.add(parameters.isEmpty() ? text : text + " \"$@\"");
                arguments.add("sh");
            }
            case Program.BootFile boot -> {
                arguments.add(interpreter(boot, path));
                arguments.add(bootFile(boot).toString());
            }
        }
        arguments.addAll(parameters);
        return arguments;
    }

    private List<String> parameters() {
        List<String> parameters = new ArrayList<>();
        for (Parameter parameter : plan.parameters()) {
            parameters.add("--" + parameter.name());
            parameters.add(parameter.value());
        }
        for (int n = 0; n < plan.inputs().size(); n++) {
            InputPlan input = plan.inputs().get(n);
            if (input.access() == Access.PARAMETER) {
                parameters.add("--" + input.name());
                parameters.add(directories.input(input.name(), n).toString());
            }
        }
        for (int n = 0; n < plan.outputs().size(); n++) {
            OutputPlan output = plan.outputs().get(n);
            if (output.access() == Access.PARAMETER) {
                parameters.add("--" + output.name());
                parameters.add(directories.output(output.name(), n).toString());
            }
        }
        return parameters;
    }

    private Path bootFile(Program.BootFile boot) throws StepFailure {
        Path base = directories.local(plan.localCodeDir());
        Path code = plan.code().map(location -> base.resolve(location.lastElement())).orElse(base);
        Path file = code.resolve(boot.path()).normalize();
        if (!file.startsWith(code) || !Files.isRegularFile(file)) {
            throw new StepFailure(
                    InstanceFailure.Step.START,
                    "the boot file " + boot.path() + " is not in the code directory");
        }
        return file;
    }

    private static String interpreter(Program.BootFile boot, String path) throws StepFailure {
        List<String> candidates =
                boot.path().endsWith(".py") ? List.of("python", "python3") : List.of("bash");
        Optional<String> found =
                candidates.stream().filter(name -> isOnPath(name, path)).findFirst();
        return found.orElseThrow(() ->
                new StepFailure(
                        InstanceFailure.Step.START,
                        "the boot file needs "
                                + String.join(" or ", candidates)
                                + ", which is not on the PATH "
                                + path));
    }

    private static boolean isOnPath(String program, String path) {
        for (String directory : path.split(":", -1)) {
            if (!directory.isEmpty() && Files.isExecutable(Path.of(directory, program))) {
                return true;
            }
        }
        return false;
    }

    /** For a POSIX shell: whatever it holds, it is one word. */
    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
