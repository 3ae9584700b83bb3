package dev.muster.agent;

import dev.muster.storage.ObjectLocation;
import dev.muster.storage.ObjectStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Carries the files of the outputs to their targets: those that are new or changed, each whole,
 * never deleting there. Not thread-safe.
 *
 * <p>A file counts as written when it has been quiet for a while and did not change while it was
 * read; one that did is left for the next pass, and the store shows nothing of the attempt.
 */
final class OutputSync {

    private static final Logger LOG = LoggerFactory.getLogger(OutputSync.class);

    /** A file that is being written is touched at least this often. */
    private static final long QUIET_MILLIS = 1000;

    private final InstancePlan plan;
    private final AgentSettings settings;
    private final Session session;
    private final SafeTree tree;
    private final Set<String> noticed = new HashSet<>();
    private final BooleanSupplier cancelled;

    OutputSync(
            InstancePlan plan, AgentSettings settings, Session session, BooleanSupplier cancelled) {
        this.plan = plan;
        this.settings = settings;
        this.session = session;
        this.tree = new SafeTree(plan.root());
        this.cancelled = cancelled;
    }

    /**
     * Looks at all outputs once.
     *
     * @param last whether the command has ended: then every file is complete
     * @return whether nothing is left to carry
     */
    boolean pass(boolean last) throws IOException {
        boolean complete = true;
        for (int n = 0; n < plan.outputs().size(); n++) {
            complete &= new OnePass(n, last).run();
        }
        return complete;
    }

    /** One look at one output. */
    private final class OnePass implements SafeTree.Visitor {

        private final OutputPlan output;
        private final Path folder;
        private final SyncManifest manifest;
        private final ObjectStore store;
        private final boolean last;
        private boolean complete = true;

        OnePass(int index, boolean last) throws IOException {
            this.output = plan.outputs().get(index);
            this.folder = plan.directories().output(output.name(), index);
            this.manifest = SyncManifest.read(plan, index);
            this.store = settings.stores().serving(output.target());
            this.last = last;
        }

        boolean run() throws IOException {
            try {
                if (manifest.stoppedBecause().isEmpty()) {
                    tree.walk(folder, this);
                }
            } finally {
                manifest.write();
            }
            manifest.stoppedBecause().ifPresent(this::notice);
            return complete;
        }

        @Override
        public void file(SafeTree.Found found) throws IOException {
            if (cancelled.getAsBoolean()) {
                throw new CancelledException();
            }
            SafeTree.Version version = found.version();
            if (manifest.stoppedBecause().isPresent()
                    || manifest.carried(found.name()).filter(version::equals).isPresent()
                    || breaksLimit(found)) {
                return;
            }
            long ageMillis = System.currentTimeMillis() - version.modifiedNanos() / 1_000_000;
            long quietMillis = Math.min(QUIET_MILLIS, plan.syncIntervalMillis());
            if (!last && ageMillis < quietMillis) {
                complete = false;
                return;
            }
            carry(found);
        }

        @Override
        public void other(String name) {
            noticeOnce("is not carried out, as it is a link or no regular file", name);
        }

        private void carry(SafeTree.Found found) throws IOException {
            ObjectLocation target;
            try {
                target = output.target().resolve(found.name());
            } catch (IllegalArgumentException e) {
                noticeOnce("is not carried out, as no object can have its name", found.name());
                return;
            }
            Path file = folder.resolve(found.name());
            try (InputStream in =
                    new UnchangedInputStream(tree, file, found.version(), cancelled)) {
                store.write(target, in, found.version().size());
                manifest.put(found.name(), found.version());
                settings.failpoint().accept("agent.carried");
            } catch (UnchangedInputStream.ChangedException e) {
                LOG.debug("{} is being written, it is left for later", file);
                complete = false;
            }
        }

        private boolean breaksLimit(SafeTree.Found found) {
            DataLimits limits = plan.limits();
            long size = found.version().size();
            long before = manifest.carried(found.name()).map(SafeTree.Version::size).orElse(-1L);
            String why = "";
            if (size > limits.outputFileBytes()) {
                why = "a file may have " + limits.outputFileBytes() + " bytes, it has " + size;
            } else if (manifest.bytes() - Math.max(before, 0) + size > limits.outputBytes()) {
                why = "all files together may have " + limits.outputBytes() + " bytes";
            } else if (before < 0 && manifest.files() >= limits.outputFiles()) {
                why = "there may be " + limits.outputFiles() + " files";
            }
            if (why.isEmpty()) {
                return false;
            }
            manifest.stop(
                    "output "
                            + output.name()
                            + " is over its limit, nothing more of it is carried out: "
                            + found.name()
                            + ": "
                            + why);
            return true;
        }

        /** Of each kind once per output, however many files it concerns. */
        private void noticeOnce(String why, String name) {
            if (noticed.add(output.name() + " " + why)) {
                notice("output " + output.name() + ": " + name + " " + why);
            }
        }

        private void notice(String message) {
            session.tell(new InstanceEvent.Noticed(plan.id(), message));
        }
    }
}
