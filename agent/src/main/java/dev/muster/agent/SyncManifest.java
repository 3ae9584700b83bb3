package dev.muster.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What of one output lies at its target already, as it was when it was carried there. If it is lost
 * or behind, files are carried again, which changes nothing.
 */
final class SyncManifest {

    private static final String STOPPED = "stopped ";

    private final Path control;
    private final String name;
    private final Map<String, SafeTree.Version> carried = new TreeMap<>();
    private String stoppedBecause = "";
    private boolean changed;

    private SyncManifest(Path control, String name) {
        this.control = control;
        this.name = name;
    }

    /**
     * @param index of the output, from 0
     */
    static SyncManifest read(InstancePlan plan, int index) throws IOException {
        Path control = plan.directories().control();
        SyncManifest manifest = new SyncManifest(control, "carried-" + index);
        Optional<String> text = ControlFiles.read(control, manifest.name);
        text.orElse("").lines().forEach(manifest::parse);
        manifest.changed = false;
        return manifest;
    }

    private void parse(String line) {
        if (line.startsWith(STOPPED)) {
            stoppedBecause = line.substring(STOPPED.length());
            return;
        }
        String[] words = line.split(" ", 4);
        put(
                words[3],
                new SafeTree.Version(Long.parseLong(words[0]), Long.parseLong(words[1]), words[2]));
    }

    Optional<SafeTree.Version> carried(String file) {
        return Optional.ofNullable(carried.get(file));
    }

    int files() {
        return carried.size();
    }

    long bytes() {
        return carried.values().stream().mapToLong(SafeTree.Version::size).sum();
    }

    void put(String file, SafeTree.Version version) {
        carried.put(file, version);
        changed = true;
    }

    /** A limit was broken: nothing more is carried. */
    void stop(String because) {
        stoppedBecause = because;
        changed = true;
    }

    Optional<String> stoppedBecause() {
        return stoppedBecause.isEmpty() ? Optional.empty() : Optional.of(stoppedBecause);
    }

    void write() throws IOException {
        if (!changed) {
            return;
        }
        StringBuilder text = new StringBuilder();
        carried.forEach((file, version) ->
                text.append(version.size())
                        .append(' ')
                        .append(version.modifiedNanos())
                        .append(' ')
                        .append(version.key())
                        .append(' ')
                        .append(file)
                        .append('\n'));
        if (!stoppedBecause.isEmpty()) {
            text.append(STOPPED).append(stoppedBecause).append('\n');
        }
        ControlFiles.write(control, name, text.toString());
        changed = false;
    }
}
