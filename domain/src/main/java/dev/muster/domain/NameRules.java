package dev.muster.domain;

import java.util.HashMap;
import java.util.Map;

/**
 * Names of parameters, environment variables, inputs and outputs: their forms, the reserved ones,
 * and that none is used twice over all four (D).
 */
final class NameRules {

    static final String HANG_WINDOW = "MA_HANG_DETECT_TIME";

    private static final int PATH_NAME_LENGTH = 128;
    private static final String VARIABLE_FORM = "[A-Za-z_][A-Za-z0-9_]*";
    private static final String[] RESERVED_PREFIXES = {"MA_", "VC_", "MUSTER_"};

    private final JobSpec spec;
    private final Findings findings;
    private final Map<String, String> firstUse;

    private NameRules(JobSpec spec, Findings findings) {
        this.spec = spec;
        this.findings = findings;
        int names =
                spec.inputs().size()
                        + spec.outputs().size()
                        + spec.parameters().size()
                        + spec.environment().size();
        this.firstUse = HashMap.newHashMap(names);
    }

    static void check(JobSpec spec, Findings findings) {
        NameRules rules = new NameRules(spec, findings);
        rules.environment();
        rules.parameters();
        rules.inputs();
        rules.outputs();
    }

    private void environment() {
        findings.countAtMost("environment", spec.environment().size(), Limit.ENVIRONMENT);
        for (Map.Entry<String, String> variable : spec.environment().entrySet()) {
            String name = variable.getKey();
            String path = "environment." + shortened(name);
            if (!isVariableName(name)) {
                findings.add(path, name, "is a name that no variable may have", VARIABLE_FORM);
            }
            findings.atMost(path, name, Limit.ENVIRONMENT_NAME_LENGTH);
            findings.secretAtMost(path, variable.getValue(), Limit.ENVIRONMENT_VALUE_LENGTH);
            if (name.equals(HANG_WINDOW)) {
                hangWindow(path, variable.getValue());
            } else {
                notReserved(path, name);
            }
            onlyOnce(path, name);
        }
    }

    /** A name may be long, and a path stands in every violation. */
    private static String shortened(String name) {
        return name.length() <= PATH_NAME_LENGTH ? name : name.substring(0, PATH_NAME_LENGTH) + '…';
    }

    private void hangWindow(String path, String value) {
        int least = findings.limit(Limit.HANG_WINDOW_MIN);
        int greatest = findings.limit(Limit.HANG_WINDOW_MAX);
        boolean digits = !value.isEmpty() && value.length() <= 6;
        for (int i = 0; digits && i < value.length(); i++) {
            digits = isDigit(value.charAt(i));
        }
        int minutes = digits ? Integer.parseInt(value) : -1;
        if (minutes < least || minutes > greatest) {
            findings.add(path, value, "is a number of minutes", least + ".." + greatest);
        }
    }

    private void parameters() {
        findings.countAtMost("parameters", spec.parameters().size(), Limit.PARAMETERS);
        for (int i = 0; i < spec.parameters().size(); i++) {
            JobSpec.Parameter parameter = spec.parameters().get(i);
            if (!isParameterName(parameter.name())) {
                findings.add(
                        path("parameters", i, "name"),
                        parameter.name(),
                        "is a name of letters, digits, . _ and -",
                        "begins with a letter or _");
            }
            String name = path("parameters", i, "name");
            findings.atMost(name, parameter.name(), Limit.PARAMETER_NAME_LENGTH);
            findings.secretAtMost(
                    path("parameters", i, "value"),
                    parameter.value(),
                    Limit.PARAMETER_VALUE_LENGTH);
            onlyOnce(name, parameter.name());
        }
    }

    private void inputs() {
        findings.countAtMost("inputs", spec.inputs().size(), Limit.INPUTS);
        for (int i = 0; i < spec.inputs().size(); i++) {
            JobSpec.InputSpec input = spec.inputs().get(i);
            dataName(path("inputs", i, "name"), input.name(), input.access());
        }
    }

    private void outputs() {
        findings.countAtMost("outputs", spec.outputs().size(), Limit.OUTPUTS);
        for (int i = 0; i < spec.outputs().size(); i++) {
            JobSpec.OutputSpec output = spec.outputs().get(i);
            dataName(path("outputs", i, "name"), output.name(), output.access());
        }
    }

    private void dataName(String path, String name, JobSpec.Access access) {
        if (!isVariableName(name)) {
            findings.add(path, name, "is no name for an input or output", VARIABLE_FORM);
        }
        findings.atMost(path, name, Limit.DATA_NAME_LENGTH);
        if (access == JobSpec.Access.ENV) {
            notReserved(path, name);
        }
        onlyOnce(path, name);
    }

    private void notReserved(String path, String name) {
        for (String prefix : RESERVED_PREFIXES) {
            if (name.startsWith(prefix)) {
                findings.add(path, name, "begins with the reserved " + prefix, "another name");
            }
        }
    }

    private void onlyOnce(String path, String name) {
        String first = firstUse.putIfAbsent(name, path);
        if (first != null) {
            findings.add(
                    path,
                    name,
                    "is already used by " + first,
                    "unique over inputs, outputs, parameters and environment");
        }
    }

    static String path(String list, int index, String member) {
        return list + '[' + index + "]." + member;
    }

    private static boolean isVariableName(String name) {
        if (name.isEmpty() || isDigit(name.charAt(0))) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (!isWord(name.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    static boolean isJobName(String name) {
        return consistsOfWordsAnd(name, "-");
    }

    static boolean isModel(String name) {
        return consistsOfWordsAnd(name, "-.");
    }

    private static boolean isParameterName(String name) {
        return !name.isEmpty()
                && isWord(name.charAt(0))
                && !isDigit(name.charAt(0))
                && consistsOfWordsAnd(name, "-.");
    }

    private static boolean consistsOfWordsAnd(String name, String others) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!isWord(c) && others.indexOf(c) < 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean isWord(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || isDigit(c);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
