package dev.muster.platform.codec;

import dev.muster.domain.JobSpec;
import dev.muster.domain.JobSpec.Access;
import dev.muster.domain.JobSpec.Framework;
import dev.muster.domain.PoolId;
import dev.muster.domain.ProjectId;
import dev.muster.domain.QueueId;
import dev.muster.domain.Resources;
import dev.muster.platform.codec.SpecReader.Member;
import dev.muster.platform.codec.SpecReader.Members;
import dev.muster.platform.codec.SpecReader.Reading;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A specification while it is being read: the defaults, and over them what was given. */
final class JobDraft {

    /** Defaults of the native form: the shared pool, its default queue, one instance, a command. */
    private static final ProjectId PROJECT = new ProjectId("default");

    private static final PoolId POOL = new PoolId("public");
    private static final QueueId QUEUE = new QueueId("default");

    static final Members<JobDraft> MEMBERS =
            new Table<JobDraft>("a job specification")
                    .with("name", (r, n, d) -> d.name = r.text(n, ""))
                    .with("description", (r, n, d) -> d.description = r.text(n, ""))
                    .with("project", (r, n, d) -> d.project = r.name(n, ProjectId::new, PROJECT))
                    .with("pool", (r, n, d) -> d.pool = r.name(n, PoolId::new, POOL))
                    .with("queue", (r, n, d) -> d.queue = r.name(n, QueueId::new, QUEUE))
                    .with("priority", (r, n, d) -> d.priority = r.integer(n, 1))
                    .with("framework", JobDraft::readFramework)
                    .with("instances", (r, n, d) -> d.instances = r.integer(n, 1))
                    .with("resources", JobDraft::readResources)
                    .with("codeDir", (r, n, d) -> d.codeDir = r.text(n))
                    .with("bootFile", (r, n, d) -> d.bootFile = r.text(n))
                    .with("localCodeDir", (r, n, d) -> d.localCodeDir = r.text(n, d.localCodeDir))
                    .with("workingDir", (r, n, d) -> d.workingDir = r.text(n))
                    .with("command", (r, n, d) -> d.command = r.text(n))
                    .with("parameters", JobDraft::readParameters)
                    .with("environment", JobDraft::readEnvironment)
                    .with("inputs", JobDraft::readInputs)
                    .with("outputs", JobDraft::readOutputs)
                    .with("autoStopHours", (r, n, d) -> d.autoStopHours = r.integer(n, 0))
                    .with("logPath", (r, n, d) -> d.logPath = r.text(n))
                    .with("preemptible", (r, n, d) -> d.preemptible = r.truth(n, false))
                    .with("recovery", (r, n, d) -> r.nested(n, RecoveryDraft.MEMBERS, d.recovery))
                    .members();

    private static final Members<JobDraft> RESOURCES =
            new Table<JobDraft>("resources")
                    .with("cpu", (r, n, d) -> d.cpuMillis = r.quantity(n, Quantities.CORES))
                    .with("memory", (r, n, d) -> d.mebibytes = r.quantity(n, Quantities.MEMORY))
                    .with(
                            "accelerators",
                            (r, n, d) -> d.devices = r.quantity(n, Quantities.DEVICES))
                    .with("acceleratorModel", (r, n, d) -> d.model = r.text(n, ""))
                    .members();

    private static final Members<DataDraft> PARAMETER =
            new Table<DataDraft>("a parameter")
                    .with("name", (r, n, d) -> d.name = given(d, 1, r.text(n)))
                    .with("value", (r, n, d) -> d.value = given(d, 2, r.plain(n)))
                    .members();

    private static final Members<DataDraft> INPUT =
            new Table<DataDraft>("an input")
                    .with("name", (r, n, d) -> d.name = given(d, 1, r.text(n)))
                    .with("source", (r, n, d) -> d.value = given(d, 2, r.text(n)))
                    .with("access", JobDraft::readAccess)
                    .members();

    private static final Members<DataDraft> OUTPUT =
            new Table<DataDraft>("an output")
                    .with("name", (r, n, d) -> d.name = given(d, 1, r.text(n)))
                    .with("target", (r, n, d) -> d.value = given(d, 2, r.text(n)))
                    .with("access", JobDraft::readAccess)
                    .with("preDownload", (r, n, d) -> d.preDownload = r.truth(n, false))
                    .members();

    private @Nullable String name;
    private String description = "";
    private ProjectId project = PROJECT;
    private PoolId pool = POOL;
    private QueueId queue = QUEUE;
    private int priority = 1;
    private Framework framework = Framework.CUSTOM;
    private int instances = 1;
    private int cpuMillis;
    private int mebibytes;
    private int devices;
    private String model = "";
    private @Nullable String codeDir;
    private @Nullable String bootFile;
    private String localCodeDir = JobSpec.Code.DEFAULT_LOCAL_CODE_DIR;
    private @Nullable String workingDir;
    private @Nullable String command;
    private final List<DataDraft> parameters = new ArrayList<>();
    private final SortedMap<String, String> environment = new TreeMap<>();
    private final List<DataDraft> inputs = new ArrayList<>();
    private final List<DataDraft> outputs = new ArrayList<>();
    private int autoStopHours;
    private @Nullable String logPath;
    private boolean preemptible;
    private final RecoveryDraft recovery = new RecoveryDraft();

    /** A parameter, an input or an output. */
    private static final class DataDraft {
        private int given;
        private String name = "";
        private String value = "";
        private Access access = Access.PARAMETER;
        private boolean preDownload;
    }

    /** Remembers that the member was there, even if it could not be read. */
    private static String given(DataDraft draft, int bit, @Nullable String text) {
        draft.given |= bit;
        return text == null ? "" : text;
    }

    private static void readFramework(SpecReader reader, String name, JobDraft draft)
            throws IOException {
        draft.framework = reader.choice(name, Framework.values(), Framework.CUSTOM);
    }

    private static void readResources(SpecReader reader, String name, JobDraft draft)
            throws IOException {
        reader.nested(name, RESOURCES, draft);
    }

    private static void readParameters(SpecReader reader, String name, JobDraft draft)
            throws IOException {
        reader.entries(name, PARAMETER, ok -> added(draft.parameters, ok));
    }

    private static void readInputs(SpecReader reader, String name, JobDraft draft)
            throws IOException {
        reader.entries(name, INPUT, ok -> added(draft.inputs, ok));
    }

    private static void readOutputs(SpecReader reader, String name, JobDraft draft)
            throws IOException {
        reader.entries(name, OUTPUT, ok -> added(draft.outputs, ok));
    }

    private static void readEnvironment(SpecReader reader, String name, JobDraft draft)
            throws IOException {
        reader.pairs(name, (key, value) -> draft.environment.putIfAbsent(key, value) == null);
    }

    private static void readAccess(SpecReader reader, String name, DataDraft draft)
            throws IOException {
        draft.access = reader.choice(name, Access.values(), Access.PARAMETER);
    }

    private static DataDraft added(List<DataDraft> drafts, boolean readable) {
        DataDraft draft = new DataDraft();
        draft.given = readable ? 0 : 3;
        drafts.add(draft);
        return draft;
    }

    /** Tells what must be there and is not. */
    void requireComplete(SpecReader reader) {
        if (name == null) {
            reader.missing("name");
        }
        require(reader, "parameters", parameters, "value");
        require(reader, "inputs", inputs, "source");
        require(reader, "outputs", outputs, "target");
        recovery.check(reader);
    }

    private static void require(
            SpecReader reader, String list, List<DataDraft> drafts, String value) {
        for (int i = 0; i < drafts.size(); i++) {
            int given = drafts.get(i).given;
            if ((given & 1) == 0) {
                reader.missing(list + '[' + i + "].name");
            }
            if ((given & 2) == 0) {
                reader.missing(list + '[' + i + "]." + value);
            }
        }
    }

    JobSpec toSpec() {
        return new JobSpec(
                name == null ? "" : name,
                description,
                project,
                pool,
                queue,
                priority,
                framework,
                instances,
                new JobSpec.ResourceAsk(new Resources(cpuMillis, mebibytes, devices), model),
                new JobSpec.Code(codeDir, bootFile, localCodeDir, workingDir),
                command,
                parameters.stream().map(d -> new JobSpec.Parameter(d.name, d.value)).toList(),
                environment,
                inputs.stream().map(d -> new JobSpec.InputSpec(d.name, d.value, d.access)).toList(),
                outputs.stream()
                        .map(d -> new JobSpec.OutputSpec(d.name, d.value, d.access, d.preDownload))
                        .toList(),
                autoStopHours,
                logPath,
                preemptible,
                recovery.toRecovery());
    }

    /** Gathers the members of one kind of object. */
    static final class Table<T> {
        private final String kind;
        private final Map<String, Member<T>> byName = new HashMap<>();

        Table(String kind) {
            this.kind = kind;
        }

        Table<T> with(String name, Reading<T> reading) {
            byName.put(name, new Member<>(1L << byName.size(), reading));
            return this;
        }

        Members<T> members() {
            return new Members<>(kind, Map.copyOf(byName));
        }
    }
}
