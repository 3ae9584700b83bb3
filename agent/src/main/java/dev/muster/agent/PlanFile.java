package dev.muster.agent;

import dev.muster.storage.ObjectLocation;

import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The plan as a properties file, so that the agent needs no library to read it.
 *
 * <p>Its presence is what makes a directory an instance: it is written first and by rename.
 */
final class PlanFile {

    private static final String NAME = "plan.properties";

    private PlanFile() {}

    /** The plan that lies there from now on: this one, or one that was there before. */
    static InstancePlan writeIfAbsent(InstancePlan plan) throws IOException {
        Path control = plan.directories().control();
        if (Files.exists(control.resolve(NAME))) {
            return read(plan.root());
        }
        Files.createDirectories(plan.root());
        ControlFiles.createClosedDirectory(control);
        StringWriter text = new StringWriter();
        encode(plan).store(text, null);
        ControlFiles.write(control, NAME, text.toString());
        return plan;
    }

    static InstancePlan read(Path root) throws IOException {
        Path file = new InstanceDirectories(root).control().resolve(NAME);
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(in);
        }
        try {
            return decode(root, properties);
        } catch (IllegalArgumentException | NullPointerException e) {
            throw new IOException(file + " is not a plan of this version: " + e.getMessage(), e);
        }
    }

    private static Properties encode(InstancePlan plan) {
        Properties to = new Properties();
        to.setProperty("job", plan.id().job());
        to.setProperty("attempt", String.valueOf(plan.id().attempt()));
        to.setProperty("index", String.valueOf(plan.id().index()));
        to.setProperty("incarnation", String.valueOf(plan.id().incarnation()));
        switch (plan.program()) {
            case Program.ShellCommand command -> to.setProperty("command", command.text());
            case Program.BootFile file -> to.setProperty("bootFile", file.path());
        }
        int n = 0;
        for (Parameter parameter : plan.parameters()) {
            to.setProperty("parameter." + n + ".name", parameter.name());
            to.setProperty("parameter." + n++ + ".value", parameter.value());
        }
        plan.code().ifPresent(code -> to.setProperty("code", code.toString()));
        to.setProperty("localCodeDir", plan.localCodeDir());
        plan.workingDir().ifPresent(directory -> to.setProperty("workingDir", directory));
        plan.logTarget().ifPresent(target -> to.setProperty("logTarget", target.toString()));
        to.setProperty("syncIntervalMillis", String.valueOf(plan.syncIntervalMillis()));
        to.setProperty("stopGraceMillis", String.valueOf(plan.stopGraceMillis()));
        plan.user().ifPresent(user -> to.setProperty("user", user));
        encodeWatch(plan.watch(), to);
        encodeData(plan, to);
        encodeEnvironment(plan.environment(), to);
        return to;
    }

    private static void encodeWatch(Watch watch, Properties to) {
        to.setProperty("watch.silenceSeconds", String.valueOf(watch.silenceSeconds()));
        to.setProperty("watch.startupSeconds", String.valueOf(watch.startupSeconds()));
        int n = 0;
        for (String pattern : watch.failurePatterns()) {
            to.setProperty("watch.failure." + n++, pattern);
        }
    }

    private static void encodeData(InstancePlan plan, Properties to) {
        int n = 0;
        for (InputPlan input : plan.inputs()) {
            String prefix = "input." + n++;
            to.setProperty(prefix + ".name", input.name());
            to.setProperty(prefix + ".source", input.source().toString());
            to.setProperty(prefix + ".access", input.access().name());
            to.setProperty(prefix + ".limited", String.valueOf(input.limited()));
        }
        n = 0;
        for (OutputPlan output : plan.outputs()) {
            String prefix = "output." + n++;
            to.setProperty(prefix + ".name", output.name());
            to.setProperty(prefix + ".target", output.target().toString());
            to.setProperty(prefix + ".access", output.access().name());
            to.setProperty(prefix + ".preDownload", String.valueOf(output.preDownload()));
        }
        DataLimits limits = plan.limits();
        to.setProperty("limit.inputBytes", String.valueOf(limits.inputBytes()));
        to.setProperty("limit.inputFiles", String.valueOf(limits.inputFiles()));
        to.setProperty("limit.inputFileBytes", String.valueOf(limits.inputFileBytes()));
        to.setProperty("limit.outputBytes", String.valueOf(limits.outputBytes()));
        to.setProperty("limit.outputFiles", String.valueOf(limits.outputFiles()));
        to.setProperty("limit.outputFileBytes", String.valueOf(limits.outputFileBytes()));
    }

    private static void encodeEnvironment(InstanceEnvironment environment, Properties to) {
        to.setProperty("jobName", environment.jobName());
        to.setProperty("taskName", environment.taskName());
        to.setProperty("accelerators", String.valueOf(environment.accelerators()));
        to.setProperty("framework", environment.framework().name());
        to.setProperty("masterPort", String.valueOf(environment.masterPort()));
        to.setProperty("scheduleCount", String.valueOf(environment.scheduleCount()));
        to.setProperty("path", environment.path());
        int n = 0;
        for (String host : environment.hosts()) {
            to.setProperty("host." + n++, host);
        }
        environment.user().forEach((name, value) -> to.setProperty("env." + name, value));
    }

    private static InstancePlan decode(Path root, Properties from) {
        return new InstancePlan(
                new InstanceId(
                        text(from, "job"),
                        number(from, "attempt"),
                        number(from, "index"),
                        number(from, "incarnation")),
                root.toAbsolutePath(),
                from.containsKey("bootFile")
                        ? new Program.BootFile(text(from, "bootFile"))
                        : new Program.ShellCommand(text(from, "command")),
                decodeParameters(from),
                decodeEnvironment(from),
                optional(from, "code").map(ObjectLocation::parse),
                text(from, "localCodeDir"),
                optional(from, "workingDir"),
                decodeInputs(from),
                decodeOutputs(from),
                optional(from, "logTarget").map(ObjectLocation::parse),
                new DataLimits(
                        longNumber(from, "limit.inputBytes"),
                        number(from, "limit.inputFiles"),
                        longNumber(from, "limit.inputFileBytes"),
                        longNumber(from, "limit.outputBytes"),
                        number(from, "limit.outputFiles"),
                        longNumber(from, "limit.outputFileBytes")),
                longNumber(from, "syncIntervalMillis"),
                longNumber(from, "stopGraceMillis"),
                optional(from, "user"),
                decodeWatch(from));
    }

    /** Plans of before have none. */
    private static Watch decodeWatch(Properties from) {
        if (!from.containsKey("watch.silenceSeconds")) {
            return Watch.OFF;
        }
        List<String> patterns = new ArrayList<>();
        for (int n = 0; from.containsKey("watch.failure." + n); n++) {
            patterns.add(text(from, "watch.failure." + n));
        }
        return new Watch(
                number(from, "watch.silenceSeconds"),
                number(from, "watch.startupSeconds"),
                patterns);
    }

    private static InstanceEnvironment decodeEnvironment(Properties from) {
        List<String> hosts = new ArrayList<>();
        for (int n = 0; from.containsKey("host." + n); n++) {
            hosts.add(text(from, "host." + n));
        }
        Map<String, String> user = new TreeMap<>();
        for (String name : from.stringPropertyNames()) {
            if (name.startsWith("env.")) {
                user.put(name.substring("env.".length()), text(from, name));
            }
        }
        return new InstanceEnvironment(
                text(from, "jobName"),
                text(from, "taskName"),
                hosts,
                number(from, "accelerators"),
                InstanceEnvironment.Framework.valueOf(text(from, "framework")),
                number(from, "masterPort"),
                number(from, "scheduleCount"),
                text(from, "path"),
                user);
    }

    private static List<Parameter> decodeParameters(Properties from) {
        List<Parameter> parameters = new ArrayList<>();
        for (int n = 0; from.containsKey("parameter." + n + ".name"); n++) {
            String prefix = "parameter." + n;
            parameters.add(
                    new Parameter(text(from, prefix + ".name"), text(from, prefix + ".value")));
        }
        return parameters;
    }

    private static List<InputPlan> decodeInputs(Properties from) {
        List<InputPlan> inputs = new ArrayList<>();
        for (int n = 0; from.containsKey("input." + n + ".name"); n++) {
            String prefix = "input." + n;
            inputs.add(
                    new InputPlan(
                            text(from, prefix + ".name"),
                            ObjectLocation.parse(text(from, prefix + ".source")),
                            Access.valueOf(text(from, prefix + ".access")),
                            Boolean.parseBoolean(text(from, prefix + ".limited"))));
        }
        return inputs;
    }

    private static List<OutputPlan> decodeOutputs(Properties from) {
        List<OutputPlan> outputs = new ArrayList<>();
        for (int n = 0; from.containsKey("output." + n + ".name"); n++) {
            String prefix = "output." + n;
            outputs.add(
                    new OutputPlan(
                            text(from, prefix + ".name"),
                            ObjectLocation.parse(text(from, prefix + ".target")),
                            Access.valueOf(text(from, prefix + ".access")),
                            Boolean.parseBoolean(text(from, prefix + ".preDownload"))));
        }
        return outputs;
    }

    private static String text(Properties from, String key) {
        return optional(from, key)
                .orElseThrow(() -> new IllegalArgumentException(key + " is missing"));
    }

    private static Optional<String> optional(Properties from, String key) {
        return Optional.ofNullable(from.getProperty(key));
    }

    private static int number(Properties from, String key) {
        return Integer.parseInt(text(from, key));
    }

    private static long longNumber(Properties from, String key) {
        return Long.parseLong(text(from, key));
    }
}
