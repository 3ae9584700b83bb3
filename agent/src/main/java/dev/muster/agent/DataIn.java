package dev.muster.agent;

import dev.muster.storage.ObjectInfo;
import dev.muster.storage.ObjectLocation;
import dev.muster.storage.ObjectStore;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Brings code, inputs and pre-downloaded outputs in, object by object. Each file appears whole and
 * with its object's time; one that is there with the object's size and time is not fetched again,
 * so an interrupted preparation goes on where it was.
 */
final class DataIn {

    private static final int BUFFER_BYTES = 256 * 1024;

    private final InstancePlan plan;
    private final AgentSettings settings;
    private final InstanceLayout layout;
    private final BooleanSupplier cancelled;

    DataIn(
            InstancePlan plan,
            AgentSettings settings,
            InstanceLayout layout,
            BooleanSupplier cancelled) {
        this.plan = plan;
        this.settings = settings;
        this.layout = layout;
        this.cancelled = cancelled;
    }

    void bring() throws IOException, StepFailure {
        InstanceDirectories directories = plan.directories();
        // all limits before the first byte
        for (InputPlan input : plan.inputs()) {
            if (input.limited()) {
                checkLimits(input);
            }
        }
        if (plan.code().isPresent()) {
            ObjectLocation code = plan.code().get();
            Path target = directories.local(plan.localCodeDir());
            bringFolderOrObject("the code directory", code, target.resolve(code.lastElement()));
        }
        for (int n = 0; n < plan.inputs().size(); n++) {
            InputPlan input = plan.inputs().get(n);
            Path target = directories.input(input.name(), n);
            bringInput(input, target);
        }
        for (int n = 0; n < plan.outputs().size(); n++) {
            if (plan.outputs().get(n).preDownload()) {
                preDownload(n);
            }
        }
    }

    private void bringInput(InputPlan input, Path target) throws IOException, StepFailure {
        if (bringFolder(input.source(), target) > 0) {
            return;
        }
        Optional<ObjectInfo> single = single(input.source());
        if (single.isEmpty()) {
            throw missing("input " + input.name(), input.source());
        }
        bring(single.get(), target.resolve(input.source().lastElement()));
    }

    private void bringFolderOrObject(String what, ObjectLocation source, Path target)
            throws IOException, StepFailure {
        if (bringFolder(source, target) > 0) {
            return;
        }
        Optional<ObjectInfo> single = single(source);
        if (single.isEmpty()) {
            throw missing(what, source);
        }
        bring(single.get(), target);
    }

    private void preDownload(int index) throws IOException {
        OutputPlan output = plan.outputs().get(index);
        Path target = plan.directories().output(output.name(), index);
        bringFolder(output.target(), target);
        // what came from there need not be carried there
        SyncManifest manifest = SyncManifest.read(plan, index);
        new SafeTree(plan.root())
                .walk(
                        target,
                        new SafeTree.Visitor() {
                            @Override
                            public void file(SafeTree.Found found) {
                                manifest.put(found.name(), found.version());
                            }

                            @Override
                            public void other(String name) {
                                // nothing but files was made
                            }
                        });
        manifest.write();
    }

    /** Number of objects in the folder. */
    private int bringFolder(ObjectLocation source, Path target) throws IOException {
        ObjectLocation folder = source.asFolder();
        int[] count = new int[1];
        store(source)
                .forEach(
                        folder,
                        object -> {
                            count[0]++;
                            String name = object.location().key().substring(folder.key().length());
                            if (name.isEmpty() || name.endsWith("/")) {
                                layout.makeAllOwned(target.resolve(name).normalize());
                            } else {
                                bring(object, target.resolve(name));
                            }
                        });
        return count[0];
    }

    private Optional<ObjectInfo> single(ObjectLocation source) throws IOException {
        return source.key().isEmpty() ? Optional.empty() : store(source).head(source.asObject());
    }

    private void bring(ObjectInfo object, Path target) throws IOException {
        FileTime time = FileTime.from(object.lastModified().truncatedTo(ChronoUnit.MILLIS));
        if (isThere(target, object.size(), time)) {
            return;
        }
        Path folder = target.getParent();
        if (folder == null) {
            throw new IllegalArgumentException(target + " lies in no folder");
        }
        layout.makeAllOwned(folder);
        Path part = folder.resolve(".muster-part");
        fetch(object, part);
        Files.setLastModifiedTime(part, time);
        layout.handOver(part);
        Files.move(
                part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        settings.failpoint().accept("agent.fetched");
    }

    private void fetch(ObjectInfo object, Path part) throws IOException {
        Files.deleteIfExists(part);
        byte[] buffer = new byte[Math.clamp(object.size(), 1, BUFFER_BYTES)];
        long fetched = 0;
        try (InputStream in = store(object.location()).read(object.location(), 0);
                OutputStream out = Files.newOutputStream(part)) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                if (cancelled.getAsBoolean()) {
                    throw new CancelledException();
                }
                out.write(buffer, 0, n);
                fetched += n;
            }
        }
        if (fetched != object.size()) {
            throw new IOException(object.location() + " changed while it was read");
        }
    }

    private static boolean isThere(Path target, long size, FileTime time) throws IOException {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(
                            target, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return attributes.isRegularFile()
                    && attributes.size() == size
                    && attributes.lastModifiedTime().equals(time);
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private void checkLimits(InputPlan input) throws IOException, StepFailure {
        InputTotals totals = new InputTotals(input, plan.limits());
        try {
            store(input.source()).forEach(input.source().asFolder(), totals::add);
            if (totals.isEmpty()) {
                Optional<ObjectInfo> single = single(input.source());
                if (single.isPresent()) {
                    totals.add(single.get());
                }
            }
        } catch (InputTotals.TooBig e) {
            throw new StepFailure(InstanceFailure.Step.PREPARE, e.sentence());
        }
    }

    private static StepFailure missing(String what, ObjectLocation source) {
        return new StepFailure(
                InstanceFailure.Step.PREPARE,
                what + " cannot be brought in: nothing lies at " + source);
    }

    private ObjectStore store(ObjectLocation location) throws IOException {
        if (cancelled.getAsBoolean()) {
            throw new CancelledException();
        }
        return settings.stores().serving(location);
    }
}
