package dev.muster.agent;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Says when a supervisor wrote something in its directory. One watch and one thread for all
 * instances of a process, since the kernel allows a user only a hundred or so of them. Where it
 * allows none, the agents see changes at their regular look.
 */
final class DirectoryWatch {

    /** Ends the watching of one directory. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    private static final Set<String> NEWS = Set.of(StateFile.NAME, SupervisorIdentity.NAME);
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryWatch.class);
    private static final Map<WatchKey, Runnable> WATCHERS = new ConcurrentHashMap<>();
    private static final @Nullable WatchService SERVICE = open();

    private DirectoryWatch() {}

    static Registration register(Path directory, Runnable changed) {
        if (SERVICE == null) {
            return () -> {};
        }
        try {
            WatchKey key =
                    directory.register(
                            SERVICE,
                            StandardWatchEventKinds.ENTRY_CREATE,
                            StandardWatchEventKinds.ENTRY_MODIFY);
            WATCHERS.put(key, changed);
            return () -> {
                WATCHERS.remove(key, changed);
                key.cancel();
            };
        } catch (IOException e) {
            LOG.warn("{} cannot be watched, it is looked at every second: {}", directory, e);
            return () -> {};
        }
    }

    private static @Nullable WatchService open() {
        try {
            WatchService service = FileSystems.getDefault().newWatchService();
            Thread.ofPlatform().daemon().name("instance-watch").start(() -> dispatch(service));
            return service;
        } catch (IOException e) {
            LOG.warn("directories cannot be watched, they are looked at every second: {}", e);
            return null;
        }
    }

    /**
     * What supervisors write; the agents know of their own files. Without a name, some was lost.
     */
    private static boolean isNews(WatchEvent<?> event) {
        return !(event.context() instanceof Path path)
                || NEWS.contains(path.toString())
                || path.toString().startsWith("dump-");
    }

    private static void dispatch(WatchService service) {
        try {
            while (true) {
                WatchKey key = service.take();
                boolean news = key.pollEvents().stream().anyMatch(DirectoryWatch::isNews);
                key.reset();
                Runnable changed = WATCHERS.get(key);
                if (changed != null && news) {
                    changed.run();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
