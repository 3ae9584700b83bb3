package dev.muster.domain;

/**
 * Every limit of a job specification, in one place: key, default, the range in which an operator
 * may set it, and the source of the rule. S0, S1 and S4 are the vendors' documents, V their other
 * references, D our own decision where they are silent or disagree.
 */
public enum Limit {
    SPEC_BYTES("spec.maxBytes", 262_144, 1_024, 524_288, "D", "bytes of a specification"),
    SPEC_DEPTH("spec.maxDepth", 8, 4, 64, "D", "nesting of a specification"),
    VIOLATIONS("spec.maxViolations", 200, 1, 10_000, "D", "violations listed in one answer"),
    NAME_LENGTH("name.maxLength", 64, 1, 64, "S0", "characters of a job's name"),
    DESCRIPTION_LENGTH("description.maxLength", 256, 0, 4_096, "S0", "characters"),
    COMMAND_LENGTH(
            "command.maxLength", 32_768, 1, 40_000, "D", "characters: one argument of sh -c holds"),
    PARAMETERS("parameters.max", 100, 0, 1_000, "S0", "hyper-parameters of a job"),
    PARAMETER_NAME_LENGTH("parameters.maxNameLength", 128, 1, 1_024, "D", "characters"),
    PARAMETER_VALUE_LENGTH("parameters.maxValueLength", 4_096, 0, 32_768, "D", "characters"),
    ENVIRONMENT("environment.max", 100, 0, 1_000, "S0", "environment variables of a job"),
    ENVIRONMENT_NAME_LENGTH("environment.maxNameLength", 8_192, 1, 8_192, "V", "characters"),
    ENVIRONMENT_VALUE_LENGTH("environment.maxValueLength", 4_096, 0, 32_768, "D", "characters"),
    INPUTS("inputs.max", 100, 0, 1_000, "D", "inputs of a job"),
    OUTPUTS("outputs.max", 100, 0, 1_000, "D", "outputs of a job"),
    DATA_NAME_LENGTH("data.maxNameLength", 64, 1, 255, "D", "characters of an input's name"),
    LOCATION_LENGTH("storage.maxLocationLength", 1_024, 1, 4_096, "D", "characters"),
    LOCAL_PATH_LENGTH("localPath.maxLength", 1_024, 1, 4_095, "D", "characters"),
    PRIORITY("priority.max", 3, 1, 3, "S0", "highest priority"),
    INSTANCES("instances.max", 10_000, 1, 100_000, "D", "instances of a gang"),
    CPU_CORES("resources.maxCpuCores", 4_096, 1, 1_000_000, "D", "cores of one instance"),
    MEMORY_GIBIBYTES("resources.maxMemoryGibibytes", 65_536, 1, 1_048_576, "D", "of one instance"),
    ACCELERATORS("resources.maxAccelerators", 1_024, 0, 1_000_000, "D", "devices of one instance"),
    ACCELERATOR_MODEL_LENGTH("resources.maxModelLength", 63, 1, 253, "D", "characters"),
    AUTO_STOP_HOURS("autoStop.maxHours", 720, 1, 8_760, "S0", "hours of running time"),
    RESTARTS("recovery.maxRestarts", 128, 1, 128, "S0", "greatest maxRestarts of a job"),
    HANG_SILENCE_SECONDS(
            "recovery.maxHangSilenceSeconds", 86_400, 1, 604_800, "S4", "seconds of silent logs"),
    STARTUP_SECONDS("recovery.maxStartupSeconds", 86_400, 0, 604_800, "D", "seconds without hangs"),
    FAILURE_PATTERNS("recovery.maxFailurePatterns", 32, 0, 256, "D", "log patterns of a job"),
    FAILURE_PATTERN_LENGTH("recovery.maxPatternLength", 256, 1, 1_024, "D", "characters"),
    HANG_WINDOW_MIN("hang.minWindowMinutes", 10, 1, 720, "V", "least MA_HANG_DETECT_TIME"),
    HANG_WINDOW_MAX("hang.maxWindowMinutes", 720, 10, 10_080, "V", "greatest MA_HANG_DETECT_TIME");

    private final String key;
    private final int byDefault;
    private final int least;
    private final int greatest;
    private final String source;
    private final String meaning;

    Limit(String key, int byDefault, int least, int greatest, String source, String meaning) {
        this.key = key;
        this.byDefault = byDefault;
        this.least = least;
        this.greatest = greatest;
        this.source = source;
        this.meaning = meaning;
    }

    /** Key in the configuration, below {@code limits.}. */
    public String key() {
        return key;
    }

    public int byDefault() {
        return byDefault;
    }

    /** Least value that an operator may set. */
    public int least() {
        return least;
    }

    /** Greatest value that an operator may set. */
    public int greatest() {
        return greatest;
    }

    /** Document that the default is taken from. */
    public String source() {
        return source;
    }

    public String meaning() {
        return meaning;
    }
}
