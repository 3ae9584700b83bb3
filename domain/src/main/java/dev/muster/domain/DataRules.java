package dev.muster.domain;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** Where data come from and go to, and that nothing is written over what is read (D). */
final class DataRules {

    private record Placed(String path, String text, StorageLocation location) {}

    private DataRules() {}

    /** Lists beyond their limit are compared up to it, so that the pairs stay few. */
    static void check(JobSpec spec, Findings findings) {
        List<Placed> inputs = new ArrayList<>();
        int inputCount = Math.min(spec.inputs().size(), findings.limit(Limit.INPUTS));
        for (int i = 0; i < inputCount; i++) {
            String path = NameRules.path("inputs", i, "source");
            place(path, spec.inputs().get(i).source(), inputs, findings);
        }
        List<Placed> outputs = new ArrayList<>();
        int outputCount = Math.min(spec.outputs().size(), findings.limit(Limit.OUTPUTS));
        for (int i = 0; i < outputCount; i++) {
            String path = NameRules.path("outputs", i, "target");
            Placed output =
                    place(path, spec.outputs().get(i).target(), new ArrayList<>(), findings);
            if (output != null) {
                apart(output, inputs, findings);
                apart(output, outputs, findings);
                outputs.add(output);
            }
        }
        if (spec.logPath() != null) {
            Placed log = place("logPath", spec.logPath(), new ArrayList<>(), findings);
            if (log != null) {
                apart(log, inputs, findings);
            }
        }
    }

    private static @Nullable Placed place(
            String path, String text, List<Placed> among, Findings findings) {
        StorageLocation location = location(path, text, findings);
        if (location == null) {
            return null;
        }
        Placed placed = new Placed(path, text, location);
        among.add(placed);
        return placed;
    }

    /** Null, with a finding, if the text is no location. */
    static @Nullable StorageLocation location(String path, String text, Findings findings) {
        findings.atMost(path, text, Limit.LOCATION_LENGTH);
        StorageLocation location = StorageLocation.parse(text);
        if (location == null) {
            findings.add(path, text, "is no storage location", StorageLocation.FORM);
        }
        return location;
    }

    private static void apart(Placed one, List<Placed> others, Findings findings) {
        for (Placed other : others) {
            if (one.location().overlaps(other.location())) {
                findings.add(
                        one.path(),
                        one.text(),
                        "overlaps with " + other.path(),
                        "a location that is neither equal to it nor above nor below it");
            }
        }
    }
}
