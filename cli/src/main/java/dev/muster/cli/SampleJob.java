package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The project's sample job, laid out in the object store of a data directory. */
final class SampleJob {

    private static final List<String> CODE = List.of("train.py", "network.py", "ranks.py");

    /** Ten steps behind a checkpoint. */
    private static final int HANG_AT_STEP = 210;

    private static final int HANG_SILENCE_SECONDS = 5;
    private static final DateTimeFormatter RUN_NAME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS").withZone(ZoneOffset.UTC);

    private final ObjectNode spec;
    private final Path outputs;

    private SampleJob(ObjectNode spec, Path outputs) {
        this.spec = spec;
        this.outputs = outputs;
    }

    /** Says in one sentence that the job's interpreter is missing. */
    static void requirePython() {
        boolean found =
                Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                        .map(folder -> Path.of(folder, "python3"))
                        .anyMatch(Files::isExecutable);
        if (!found) {
            throw new CommandFailure(
                    ExitCodes.FAILED,
                    "python3 is not on the PATH: the sample job needs Python 3.9 or later");
        }
    }

    /**
     * Copies code and data into the store; every run has an output folder of its own.
     *
     * @param hangs whether it is to hang once, and to be restarted for it
     */
    static SampleJob layOut(Path store, boolean hangs) {
        Path home = Path.of(System.getProperty("muster.home", ".")).resolve("samples/digits");
        try {
            Path bucket = store.resolve("samples/digits");
            for (String name : CODE) {
                copy(home.resolve(name), bucket.resolve("code").resolve(name));
            }
            copy(home.resolve("data/digits.csv.gz"), bucket.resolve("data/digits.csv.gz"));
            String run = "out/" + RUN_NAME.format(Instant.now());
            ObjectNode spec = (ObjectNode) Documents.readFile(home.resolve("job.yaml"));
            ((ObjectNode) spec.path("outputs").path(0))
                    .put("target", "obs://samples/digits/" + run);
            if (hangs) {
                hang(spec);
            }
            return new SampleJob(spec, bucket.resolve(run));
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCodes.FAILED,
                    "the sample job cannot be laid out in " + store + ": " + PrivateFiles.why(e));
        }
    }

    private static void hang(ObjectNode spec) {
        ((ArrayNode) spec.path("parameters"))
                .addObject()
                .put("name", "hang_at_step")
                .put("value", Integer.toString(HANG_AT_STEP));
        spec.putObject("recovery")
                .put("autoRestart", true)
                .put("hangRestart", true)
                .put("hangSilenceSeconds", HANG_SILENCE_SECONDS)
                .put("startupSeconds", 0);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        Path temporary = Files.createTempFile(to.getParent(), ".copy", "");
        Files.copy(from, temporary, StandardCopyOption.REPLACE_EXISTING);
        Files.move(
                temporary, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    JsonNode spec() {
        return spec;
    }

    /** Where the outputs lie on this machine. */
    Path outputs() {
        return outputs;
    }

    /** What the training says of itself; empty if it wrote nothing. */
    JsonNode metrics() {
        Path file = outputs.resolve("metrics.json");
        try {
            return Documents.tryJson(Files.readString(file));
        } catch (IOException e) {
            return Documents.tryJson("");
        }
    }

    /** SHA-256 of each output, by name. */
    SortedMap<String, String> hashes() {
        SortedMap<String, String> hashes = new TreeMap<>();
        try (Stream<Path> files = Files.walk(outputs)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                hashes.put(outputs.relativize(file).toString(), sha256(file));
            }
        } catch (IOException e) {
            return new TreeMap<>();
        }
        return hashes;
    }

    private static String sha256(Path file) throws IOException {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
