package dev.muster.executor;

import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.Tier;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The file by which a session that ends in order leaves its simulated instances to the next one,
 * which may be another process: real instances need nothing of the kind. What a process that was
 * killed had in memory is lost.
 */
final class SimulatedHandover {

    private final Path file;

    /**
     * @param file that all executors of a pool share
     */
    SimulatedHandover(Path file) {
        this.file = file.toAbsolutePath();
    }

    /** Adds to what was left before and was not taken. Blocks. */
    void leave(List<SimulatedState> instances) throws IOException {
        if (instances.isEmpty()) {
            return;
        }
        List<SimulatedState> all = new ArrayList<>(take());
        all.addAll(instances);
        JsonArray lines = new JsonArray();
        all.forEach(each -> lines.add(encode(each)));
        Path fresh = beside();
        Files.write(fresh, lines.toBuffer().getBytes());
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Whoever takes them has them alone. Blocks. */
    List<SimulatedState> take() throws IOException {
        Path taken = beside();
        try {
            Files.move(file, taken, StandardCopyOption.ATOMIC_MOVE);
            return decode(Files.readAllBytes(taken));
        } catch (NoSuchFileException _) {
            return List.of();
        } finally {
            Files.delete(taken);
        }
    }

    private Path beside() throws IOException {
        return Files.createTempFile(file.getParent(), String.valueOf(file.getFileName()), "");
    }

    private static JsonObject encode(SimulatedState state) {
        InstanceRef instance = state.instance();
        SimulatedCourse course = state.course();
        return new JsonObject()
                .put("job", instance.job().toString())
                .put("attempt", instance.attempt())
                .put("index", instance.index())
                .put("incarnation", instance.incarnation())
                .put("runMillis", course.runMillis())
                .put("exitCode", course.exitCode())
                .put("fault", course.fault())
                .put("cure", course.cure())
                .put("silenceMillis", course.silenceMillis())
                .put("prepared", state.prepared())
                .put("started", state.started())
                .put("exited", state.exited())
                .put("lastCode", state.lastCode())
                .put("gone", state.gone())
                .put("startedMillis", state.startedMillis());
    }

    private List<SimulatedState> decode(byte[] bytes) throws IOException {
        try {
            List<SimulatedState> all = new ArrayList<>();
            new JsonArray(Buffer.buffer(bytes)).forEach(each -> all.add(decode((JsonObject) each)));
            return all;
        } catch (DecodeException | ClassCastException | IllegalArgumentException e) {
            throw new IOException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static SimulatedState decode(JsonObject o) {
        InstanceRef instance =
                new InstanceRef(
                        JobId.parse(o.getString("job")),
                        o.getInteger("attempt"),
                        o.getInteger("index"),
                        o.getInteger("incarnation"));
        SimulatedCourse course =
                new SimulatedCourse(
                        o.getLong("runMillis"),
                        o.getInteger("exitCode"),
                        SimulatedCourse.Fault.valueOf(o.getString("fault")),
                        Tier.valueOf(o.getString("cure")),
                        o.getLong("silenceMillis"));
        return new SimulatedState(
                instance,
                course,
                o.getBoolean("prepared"),
                o.getInteger("started"),
                o.getInteger("exited"),
                o.getInteger("lastCode"),
                o.getBoolean("gone"),
                o.getLong("startedMillis"));
    }
}
