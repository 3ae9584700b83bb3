package dev.muster.executor;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Deletes the files of ended attempts once they are too many or too old. Until then their logs can
 * be read and their outputs looked at.
 *
 * @param keep ended attempts at most
 * @param hours that each is kept at most
 */
record Retention(InstanceTree tree, int keep, int hours) {

    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

    private record Ended(InstanceTree.Attempt attempt, long atMillis) {}

    /** Blocks; a file that resists stays until the next time. */
    void apply(long nowMillis) {
        try {
            List<Ended> all = new ArrayList<>();
            for (InstanceTree.Attempt each : tree.attempts()) {
                if (tree.hasEnded(each)) {
                    all.add(new Ended(each, tree.endedAtMillis(each)));
                }
            }
            all.sort(Comparator.comparingLong(Ended::atMillis).reversed());
            long oldest = nowMillis - TimeUnit.HOURS.toMillis(hours);
            for (int n = 0; n < all.size(); n++) {
                if (n >= keep || all.get(n).atMillis() < oldest) {
                    tree.doom(all.get(n).attempt());
                }
            }
            for (Path each : tree.doomed()) {
                delete(each);
            }
        } catch (IOException e) {
            LOG.warn("files of ended attempts are not deleted now: {}", Sentences.of(e));
        }
    }

    private void delete(Path doomed) throws IOException {
        TreeDeletion.delete(doomed);
        Path job = doomed.getParent();
        try {
            if (job != null) {
                Files.deleteIfExists(job);
            }
        } catch (DirectoryNotEmptyException e) {
            LOG.debug("{} holds other attempts", job);
        }
    }
}
