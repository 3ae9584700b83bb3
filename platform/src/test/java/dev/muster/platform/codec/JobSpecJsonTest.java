package dev.muster.platform.codec;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.muster.domain.JobSpec;
import dev.muster.domain.Limit;
import dev.muster.domain.Limits;
import dev.muster.domain.RestartPolicy;
import dev.muster.domain.Violation;
import dev.muster.domain.Watch;
import dev.muster.platform.codec.JobSpecJson.Parsed;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class JobSpecJsonTest {

    private static final String FULL =
            """
            {"name": "digits-dp_2", "description": "two instances, 数字", "project": "vision",
             "pool": "public", "queue": "default", "priority": 2, "framework": "pytorch",
             "instances": 2,
             "resources": {"cpu": "500m", "memory": "1Gi", "accelerators": 2,
                           "acceleratorModel": "Ascend910"},
             "codeDir": "obs://bucket/code/demo/", "bootFile": "src/train.py",
             "localCodeDir": "/home/work/code", "workingDir": "/home/work/code/demo",
             "parameters": [{"name": "learning-rate", "value": 1e-4}, {"name": "amp", "value": true}],
             "environment": {"OMP_NUM_THREADS": 4, "GREETING": "$HOME \\"x\\"",
                             "MA_HANG_DETECT_TIME": "30"},
             "inputs": [{"name": "data_url", "source": "obs://bucket/data/"},
                        {"name": "EVAL", "source": "/srv/eval", "access": "env"}],
             "outputs": [{"name": "train_url", "target": "obs://bucket/out", "preDownload": true}],
             "autoStopHours": 6, "logPath": "obs://bucket/logs/"}
            """;

    private final JobSpecJson json = new JobSpecJson(Limits.DEFAULTS);

    private Parsed parse(String text) {
        return json.parse(text.getBytes(UTF_8));
    }

    private List<Violation> refused(String text) {
        Parsed parsed = parse(text);
        assertThat(parsed).as(text).isInstanceOf(Parsed.Refused.class);
        return ((Parsed.Refused) parsed).violations();
    }

    private Parsed.Accepted accepted(String text) {
        Parsed parsed = parse(text);
        assertThat(parsed).as(text).isInstanceOf(Parsed.Accepted.class);
        return (Parsed.Accepted) parsed;
    }

    @Test
    void readsEveryMember() {
        JobSpec spec = accepted(FULL).spec();
        assertThat(spec.name()).isEqualTo("digits-dp_2");
        assertThat(spec.framework()).isEqualTo(JobSpec.Framework.PYTORCH);
        assertThat(spec.resources().amount().cpuMillis()).isEqualTo(500);
        assertThat(spec.resources().amount().memoryMebibytes()).isEqualTo(1024);
        assertThat(spec.resources().amount().acceleratorThousandths()).isEqualTo(2000);
        assertThat(spec.parameters())
                .containsExactly(
                        new JobSpec.Parameter("learning-rate", "1e-4"),
                        new JobSpec.Parameter("amp", "true"));
        assertThat(spec.environment()).containsEntry("OMP_NUM_THREADS", "4").hasSize(3);
        assertThat(spec.inputs().get(1).access()).isEqualTo(JobSpec.Access.ENV);
        assertThat(spec.outputs().getFirst().preDownload()).isTrue();
        assertThat(spec.autoStopHours()).isEqualTo(6);
    }

    @Test
    void readsWhatIsToHappenWhenTheJobBreaks() {
        Parsed.Accepted accepted =
                accepted(
                        """
                        {"name": "a", "command": "x", "preemptible": true,
                         "recovery": {"autoRestart": true, "maxRestarts": 5, "hangRestart": true,
                                      "hangSilenceSeconds": 120, "startupSeconds": 30,
                                      "failurePatterns": ["NCCL (error|timeout)"]}}
                        """);
        assertThat(accepted.spec().preemptible()).isTrue();
        assertThat(accepted.spec().recovery())
                .isEqualTo(
                        new JobSpec.Recovery(
                                true, 5, false, true, 120, 30, List.of("NCCL (error|timeout)")));
        assertThat(accepted.spec().ask(Samples.JOB).restart())
                .isEqualTo(new RestartPolicy(true, 5, false, true));
        assertThat(accepted.spec().ask(Samples.JOB).watch()).isEqualTo(new Watch(120, 30));
        assertThat(JobSpecJson.decode(accepted.canonical())).isEqualTo(accepted.spec());
        assertThat(JobSpecJson.canonical(accepted.spec())).isEqualTo(accepted.canonical());
    }

    @Test
    void leavesOutOfTheCanonicalFormWhatIsNotAskedFor() {
        Parsed.Accepted silent = accepted("{\"name\":\"a\",\"command\":\"x\"}");
        Parsed.Accepted explicit =
                accepted(
                        "{\"name\":\"a\",\"command\":\"x\",\"preemptible\":false,"
                                + "\"recovery\":{\"autoRestart\":false,\"startupSeconds\":900}}");
        assertThat(new String(silent.canonical(), UTF_8)).doesNotContain("recovery", "preemptible");
        assertThat(explicit.hash()).isEqualTo(silent.hash());
        Parsed.Accepted watched =
                accepted(
                        "{\"name\":\"a\",\"command\":\"x\",\"recovery\":{\"hangSilenceSeconds\":60}}");
        assertThat(JobSpecJson.decode(watched.canonical())).isEqualTo(watched.spec());
    }

    @Test
    void fillsInTheDefaults() {
        JobSpec spec = accepted("{\"name\":\"a\",\"command\":\"true\",\"queue\":null}").spec();
        assertThat(spec.project().value()).isEqualTo("default");
        assertThat(spec.pool().value()).isEqualTo("public");
        assertThat(spec.queue().value()).isEqualTo("default");
        assertThat(spec.instances()).isOne();
        assertThat(spec.code().localCodeDir()).isEqualTo(JobSpec.Code.DEFAULT_LOCAL_CODE_DIR);
    }

    @Test
    void writesOneCanonicalFormForEqualSpecifications() {
        Parsed.Accepted first = accepted(FULL);
        Parsed.Accepted again = accepted(new String(first.canonical(), UTF_8));
        assertThat(again.canonical()).isEqualTo(first.canonical());
        assertThat(again.hash()).isEqualTo(first.hash()).hasSize(64);
        assertThat(JobSpecJson.decode(first.canonical())).isEqualTo(first.spec());
        assertThat(accepted("{\"command\":\"true\",\"name\":\"a\",\"priority\":1}").canonical())
                .isEqualTo(accepted("{\"name\":\"a\",\"command\":\"true\"}").canonical());
    }

    /** What people really write, the path that is complained of, and a word of the rule. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    "name": "mein Job", "command": "x"                         | name | letters, digits
                    "name": "", "command": "x"                                 | name | name of letters
                    "name": 7, "command": "x"                                  | name | is a text
                    "command": "x"                                             | name | is missing
                    "name": "a"                                                | command | is missing
                    "name": "a", "command": "  "                               | command | blank
                    "name": "a", "command": ["python", "train.py"]             | command | is a text
                    "name": "a", "command": "x", "bootFile": "t.py", "codeDir": "/c" | bootFile | beside a command
                    "name": "a", "bootFile": "train.py"                        | codeDir | is missing
                    "name": "a", "bootFile": "../train.py", "codeDir": "/c"    | bootFile | below codeDir
                    "name": "a", "bootFile": "/c/train.py", "codeDir": "/c"    | bootFile | below codeDir
                    "name": "a", "bootFile": "train.ipynb", "codeDir": "/c"    | bootFile | unknown kind
                    "name": "a", "bootFile": 3, "codeDir": "/c"                | bootFile | is a text
                    "name": "a", "command": "x", "codeDir": "code"             | codeDir | storage location
                    "name": "a", "command": "x", "codeDir": "obs://b/../x"     | codeDir | storage location
                    "name": "a", "command": "x", "nodes": 2                    | nodes | no member
                    "name": "a", "command": "x", "Instances": 2                | Instances | no member
                    "name": "a", "command": "x", "instances": 0                | instances | out of range
                    "name": "a", "command": "x", "instances": "2"              | instances | whole number
                    "name": "a", "command": "x", "instances": 1.5              | instances | whole number
                    "name": "a", "command": "x", "instances": 99999999999      | instances | out of range
                    "name": "a", "command": "x", "instances": true             | instances | whole number
                    "name": "a", "command": "x", "priority": 4                 | priority | out of range
                    "name": "a", "command": "x", "priority": "high"            | priority | whole number
                    "name": "a", "command": "x", "framework": "PyTorch"        | framework | choices
                    "name": "a", "command": "x", "framework": "rayjob"         | framework | choices
                    "name": "a", "command": "x", "pool": "my pool"             | pool | pool name
                    "name": "a", "command": "x", "queue": ""                   | queue | queue name
                    "name": "a", "command": "x", "resources": "8 GPU"          | resources | is an object
                    "name": "a", "command": "x", "resources": {"gpu": 1}       | resources.gpu | no member
                    "name": "a", "command": "x", "resources": {"memory": "16GB"} | resources.memory | no amount
                    "name": "a", "command": "x", "resources": {"memory": -1}   | resources.memory | no amount
                    "name": "a", "command": "x", "resources": {"memory": "999999Ti"} | resources.memory | too large
                    "name": "a", "command": "x", "resources": {"cpu": "1.5m"}  | resources.cpu | no amount
                    "name": "a", "command": "x", "resources": {"cpu": 1e400}   | resources.cpu | no amount
                    "name": "a", "command": "x", "resources": {"cpu": {"n":1}} | resources.cpu | is an amount
                    "name": "a", "command": "x", "resources": {"accelerators": 1.5} | resources.accelerators | share of one
                    "name": "a", "command": "x", "resources": {"accelerators": 0.0001} | resources.accelerators | no amount
                    "name": "a", "command": "x", "resources": {"acceleratorModel": "A100"} | resources.acceleratorModel | no accelerators
                    "name": "a", "command": "x", "environment": {"MA_JOB_DIR": "/x"} | environment.MA_JOB_DIR | reserved
                    "name": "a", "command": "x", "environment": {"VC_X": "1"}  | environment.VC_X | reserved
                    "name": "a", "command": "x", "environment": {"MUSTER_X": "1"} | environment.MUSTER_X | reserved
                    "name": "a", "command": "x", "environment": {"MA_HANG_DETECT_TIME": "5"} | environment.MA_HANG_DETECT_TIME | minutes
                    "name": "a", "command": "x", "environment": {"MA_HANG_DETECT_TIME": "30m"} | environment.MA_HANG_DETECT_TIME | minutes
                    "name": "a", "command": "x", "environment": {"1A": "x"}    | environment.1A | no variable
                    "name": "a", "command": "x", "environment": {"A-B": "x"}   | environment.A-B | no variable
                    "name": "a", "command": "x", "environment": {"": "x"}      | environment. | no variable
                    "name": "a", "command": "x", "environment": {"A": null}    | environment.A | text, a number
                    "name": "a", "command": "x", "environment": {"A": ["x"]}   | environment.A | text, a number
                    "name": "a", "command": "x", "environment": {"A": "1", "A": "2"} | environment.A | twice
                    "name": "a", "command": "x", "environment": [{"name": "A"}] | environment | names and values
                    "name": "a", "command": "x", "parameters": {"lr": 1}       | parameters | is a list
                    "name": "a", "command": "x", "parameters": ["--lr"]        | parameters[0] | is an object
                    "name": "a", "command": "x", "parameters": [{"name": "--lr", "value": 1}] | parameters[0].name | letters, digits
                    "name": "a", "command": "x", "parameters": [{"name": "lr"}] | parameters[0].value | missing
                    "name": "a", "command": "x", "parameters": [{"name": "a b", "value": 1}] | parameters[0].name | letters, digits
                    "name": "a", "command": "x", "inputs": [{"name": "d"}]     | inputs[0].source | missing
                    "name": "a", "command": "x", "inputs": [{"source": "/d"}]  | inputs[0].name | missing
                    "name": "a", "command": "x", "inputs": [{"name": "d", "source": "./d"}] | inputs[0].source | storage location
                    "name": "a", "command": "x", "inputs": [{"name": "d-1", "source": "/d"}] | inputs[0].name | no name
                    "name": "a", "command": "x", "inputs": [{"name": "VC_D", "source": "/d", "access": "env"}] | inputs[0].name | reserved
                    "name": "a", "command": "x", "inputs": [{"name": "d", "source": "/d", "access": "mount"}] | inputs[0].access | choices
                    "name": "a", "command": "x", "inputs": [{"name": "d", "source": "/d"}, {"name": "d", "source": "/e"}] | inputs[1].name | already used by inputs[0]
                    "name": "a", "command": "x", "inputs": [{"name": "d", "source": "/d"}], "parameters": [{"name": "d", "value": 1}] | inputs[0].name | already used by parameters[0]
                    "name": "a", "command": "x", "inputs": [{"name": "i", "source": "/d/x"}], "outputs": [{"name": "o", "target": "file:///d"}] | outputs[0].target | overlaps with inputs[0]
                    "name": "a", "command": "x", "outputs": [{"name": "o", "target": "obs://b/o"}, {"name": "p", "target": "OBS://b//o/"}] | outputs[1].target | overlaps with outputs[0]
                    "name": "a", "command": "x", "outputs": [{"name": "o", "target": "/o", "preDownload": "yes"}] | outputs[0].preDownload | true or false
                    "name": "a", "command": "x", "inputs": [{"name": "i", "source": "s3://b/d"}], "logPath": "s3://b/d/log" | logPath | overlaps
                    "name": "a", "command": "x", "autoStopHours": 721          | autoStopHours | out of range
                    "name": "a", "command": "x", "autoStopHours": -1           | autoStopHours | out of range
                    "name": "a", "command": "x", "preemptible": "yes"          | preemptible | true or false
                    "name": "a", "command": "x", "recovery": true              | recovery | is an object
                    "name": "a", "command": "x", "recovery": {"restarts": 1}   | recovery.restarts | no member
                    "name": "a", "command": "x", "recovery": {"maxRestarts": 3} | recovery.maxRestarts | autoRestart is off
                    "name": "a", "command": "x", "recovery": {"maxRestarts": 5} | recovery.maxRestarts | autoRestart is off
                    "name": "a", "command": "x", "recovery": {"hangRestart": true} | recovery.hangRestart | autoRestart is off
                    "name": "a", "command": "x", "recovery": {"unconditionalRestart": true} | recovery.unconditionalRestart | autoRestart is off
                    "name": "a", "command": "x", "recovery": {"autoRestart": true, "maxRestarts": 129} | recovery.maxRestarts | out of range
                    "name": "a", "command": "x", "recovery": {"autoRestart": true, "maxRestarts": 0} | recovery.maxRestarts | out of range
                    "name": "a", "command": "x", "recovery": {"hangSilenceSeconds": 86401} | recovery.hangSilenceSeconds | out of range
                    "name": "a", "command": "x", "recovery": {"startupSeconds": -1} | recovery.startupSeconds | out of range
                    "name": "a", "command": "x", "recovery": {"failurePatterns": "NCCL"} | recovery.failurePatterns | list of texts
                    "name": "a", "command": "x", "recovery": {"failurePatterns": [7]} | recovery.failurePatterns[0] | is a text
                    "name": "a", "command": "x", "recovery": {"failurePatterns": ["a", "(?<=x)y"]} | recovery.failurePatterns[1] | is no pattern
                    "name": "a", "command": "x", "recovery": {"failurePatterns": [" "]} | recovery.failurePatterns[0] | blank
                    "name": "a", "command": "x", "recovery": {"failurePatterns": ["a", "(((x{100}){100}){100}){100}"]} | recovery.failurePatterns[1] | repeats too often
                    "name": "a", "command": "x", "recovery": {"failurePatterns": ["x{999}", "(a?){999}b"]} | recovery.failurePatterns | too large when compiled
                    "name": "a", "command": "x", "localCodeDir": "/tmp"        | localCodeDir | may not take
                    "name": "a", "command": "x", "localCodeDir": "/home/ma-user" | localCodeDir | may not take
                    "name": "a", "command": "x", "localCodeDir": "/home/ma-user/modelarts/x" | localCodeDir | may not take
                    "name": "a", "command": "x", "localCodeDir": "/home/../etc" | localCodeDir | no directory
                    "name": "a", "command": "x", "workingDir": "code"          | workingDir | no directory
                    "name": "a", "command": "x", "name": "b"                   | name | twice
                    "name": "a", "command": "a\\u0000b"                        | command | zero character
                    "name": "a", "command": "\\ud800"                          | command | surrogate
                    """)
    void refusesWhatPeopleReallyWrite(String members, String path, String rule) {
        List<Violation> violations = refused("{" + members + "}");
        assertThat(violations).hasSize(1);
        assertThat(violations.getFirst().path()).isEqualTo(path);
        assertThat(violations.getFirst().rule()).contains(rule);
    }

    @Test
    void givesAllViolationsAtOnce() {
        List<Violation> violations =
                refused(
                        """
                        {"name": "a b", "instance": 2, "priority": 9, "queue": 5,
                         "resources": {"memory": "lots", "disk": 1},
                         "environment": {"MA_X": "1", "A B": "2", "OK": {}},
                         "inputs": [{"name": "d", "source": "x"}, 5, {"nam": "e"}],
                         "outputs": [{"name": "d", "target": "/o"}], "autoStopHours": 1000}
                        """);
        assertThat(violations.stream().map(Violation::path))
                .containsExactlyInAnyOrder(
                        "name",
                        "instance",
                        "priority",
                        "queue",
                        "resources.memory",
                        "resources.disk",
                        "environment.MA_X",
                        "environment.A B",
                        "environment.OK",
                        "inputs[0].source",
                        "inputs[1]",
                        "inputs[2].nam",
                        "inputs[2].name",
                        "inputs[2].source",
                        "outputs[0].name",
                        "autoStopHours",
                        "command");
        assertThat(violations).anyMatch(v -> v.allowed().equals("did you mean instances?"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    ``                              | is empty
                    []                              | no object
                    "x"                             | no object
                    null                            | no object
                    {"name":"a","command":"x"       | no valid JSON
                    {"name":"a","command":"x"} {}   | goes on
                    {"name":"a","command":"x",}     | no valid JSON
                    {'name':'a'}                    | no valid JSON
                    {"name":NaN}                    | no valid JSON
                    name: a                         | no valid JSON
                    {"a":[[[[[[[[[[[[[[]]]]]]]]]]]]]]} | no valid JSON
                    """)
    void refusesWhatIsNoDocument(String text, String rule) {
        assertThat(refused(text == null ? "" : text))
                .anyMatch(v -> v.path().equals("body") && v.rule().contains(rule));
    }

    @Test
    void refusesTooMuch() {
        String long256 = "x".repeat(262_144);
        assertThat(refused("{\"name\":\"a\",\"command\":\"" + long256 + "\"}").getFirst().rule())
                .contains("too large");
        String variables =
                IntStream.range(0, 101)
                        .mapToObj(i -> "\"V" + i + "\":\"\"")
                        .collect(Collectors.joining(","));
        assertThat(
                        refused(
                                "{\"name\":\"a\",\"command\":\"x\",\"environment\":{"
                                        + variables
                                        + "}}"))
                .singleElement()
                .satisfies(v -> assertThat(v.allowed()).isEqualTo("at most 100"));
        String patterns = "\"x\",".repeat(32) + '"' + "x".repeat(257) + '"';
        assertThat(
                        refused(
                                "{\"name\":\"a\",\"command\":\"x\",\"recovery\":"
                                        + "{\"failurePatterns\":["
                                        + patterns
                                        + "]}}"))
                .extracting(Violation::path)
                .containsExactly("recovery.failurePatterns", "recovery.failurePatterns[32]");
        String unknown =
                IntStream.range(0, 5000)
                        .mapToObj(i -> "\"u" + i + "\":1")
                        .collect(Collectors.joining(","));
        assertThat(refused("{" + unknown + "}")).hasSize(200);
    }

    @Test
    void neverShowsValuesThatMayBeSecret() {
        String secret = "hunter2-" + "x".repeat(5_000);
        List<Violation> violations =
                refused(
                        "{\"name\":\"a\",\"command\":\"x\",\"environment\":{\"PASSWORD\":\""
                                + secret
                                + "\"},\"parameters\":[{\"name\":\"token\",\"value\":\""
                                + secret
                                + "\"}]}");
        assertThat(violations).hasSize(2);
        assertThat(violations.toString()).doesNotContain("hunter2");
    }

    @Test
    void measuresByTheOperatorsLimits() {
        JobSpecJson strict = new JobSpecJson(Limits.DEFAULTS.with(Limit.INSTANCES, 4));
        Parsed parsed =
                strict.parse("{\"name\":\"a\",\"command\":\"x\",\"instances\":5}".getBytes(UTF_8));
        assertThat(parsed).isInstanceOf(Parsed.Refused.class);
        assertThat(JobSpecJson.decode(accepted(FULL).canonical()).name()).isEqualTo("digits-dp_2");
    }
}
