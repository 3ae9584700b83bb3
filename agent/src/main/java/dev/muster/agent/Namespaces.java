package dev.muster.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Starts programs, each as the first process of a PID namespace and with a {@code /proc} that shows
 * nothing else, as the program {@code unshare} does, but without that program. Root may do so where
 * the kernel mounts the {@code /proc} of another namespace: Linux since 6.17.
 *
 * <p>A namespace for children is a matter of a single thread, so all this happens on one of its
 * own.
 */
final class Namespaces {

    private static final int NEW_PID = 0x2000_0000;
    private static final int NEW_MOUNTS = 0x0002_0000;
    private static final long RECURSIVE_PRIVATE = 0x4000 | 0x4_0000;
    private static final int CLOSE_ON_EXEC = 0x8_0000;
    private static final int CLOSE_ON_EXEC_MOUNT = 1;
    private static final int SET_STRING = 1;
    private static final int CREATE = 6;
    private static final int NO_SUID_DEVICES_PROGRAMS = 2 | 4 | 8;
    private static final int BY_FILE = 4;
    private static final int HERE = -100;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout POINTER = ValueLayout.ADDRESS;
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final VarHandle ERROR =
            Linker.Option.captureStateLayout().varHandle(PathElement.groupElement("errno"));

    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("namespaces").factory());

    private final MethodHandle open = function("open", POINTER, INT);
    private final MethodHandle close = function("close", INT);
    private final MethodHandle changeRoot = function("chroot", POINTER);
    private final MethodHandle changeDirectory = function("fchdir", INT);
    private final MethodHandle enter = function("setns", INT, INT);
    private final MethodHandle unshare = function("unshare", INT);
    private final MethodHandle mount =
            function("mount", POINTER, POINTER, POINTER, ValueLayout.JAVA_LONG, POINTER);
    private final MethodHandle openFiles = function("fsopen", POINTER, INT);
    private final MethodHandle configure = function("fsconfig", INT, INT, POINTER, POINTER, INT);
    private final MethodHandle mountFiles = function("fsmount", INT, INT, INT);
    private final MethodHandle moveMount = function("move_mount", INT, POINTER, INT, POINTER, INT);

    private final int ownPids;
    private final int ownMounts;
    private final int ownRoot;

    private Namespaces() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            ownPids = open(arena, "/proc/self/ns/pid");
            ownMounts = open(arena, "/proc/self/ns/mnt");
            ownRoot = open(arena, "/");
        }
    }

    /**
     * @throws IOException if the C library has no such calls
     */
    static Namespaces find() throws IOException {
        SymbolLookup symbols = Linker.nativeLinker().defaultLookup();
        if (!Libc.canSpawn() || symbols.find("fsopen").isEmpty()) {
            throw new IOException("the C library is older than glibc 2.36");
        }
        return new Namespaces();
    }

    /**
     * As {@link Libc#spawn}. The program runs before its {@code /proc} is there: it has to wait
     * until the caller says so.
     */
    long spawn(List<String> command, List<String> environment, Path directory, Path output)
            throws IOException {
        Start start = () -> Libc.spawn(command, environment, directory, output);
        try {
            // goes on though the caller is interrupted: a child must not get lost
            return CompletableFuture.supplyAsync(() -> onThread(start), thread).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof UncheckedIOException failed) {
                throw new IOException(failed.getMessage(), failed);
            }
            throw e;
        }
    }

    @FunctionalInterface
    private interface Start {
        long now() throws IOException;
    }

    private long onThread(Start start) {
        try (Arena arena = Arena.ofConfined()) {
            return inNamespace(arena, start);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private long inNamespace(Arena arena, Start start) throws IOException {
        unshare(arena);
        try {
            mountPrivately(arena);
            long child = start.now();
            try {
                mountProcesses(arena, child);
                comeBack(arena);
            } catch (IOException | RuntimeException e) {
                Libc.kill(child, Libc.KILL);
                Supervisors.add(child);
                throw e;
            }
            return child;
        } catch (IOException | RuntimeException e) {
            comeBack(arena);
            throw e;
        }
    }

    private void unshare(Arena arena) throws IOException {
        MemorySegment state = state(arena);
        try {
            check("unshare", (int) unshare.invokeExact(state, NEW_PID | NEW_MOUNTS), state);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    private void mountPrivately(Arena arena) throws IOException {
        MemorySegment state = state(arena);
        MemorySegment none = arena.allocateFrom("none");
        MemorySegment root = arena.allocateFrom("/");
        try {
            int result =
                    (int)
                            mount.invokeExact(
                                    state,
                                    none,
                                    root,
                                    MemorySegment.NULL,
                                    RECURSIVE_PRIVATE,
                                    MemorySegment.NULL);
            check("mount", result, state);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** In the mount namespace that the child has from this thread, on top of its /proc. */
    private void mountProcesses(Arena arena, long child) throws IOException {
        MemorySegment state = state(arena);
        MemorySegment name = arena.allocateFrom("proc");
        MemorySegment key = arena.allocateFrom("pidns");
        MemorySegment value = arena.allocateFrom("/proc/" + child + "/ns/pid");
        MemorySegment here = arena.allocateFrom("");
        MemorySegment place = arena.allocateFrom("/proc");
        MemorySegment no = MemorySegment.NULL;
        int files = -1;
        int mounted = -1;
        try {
            files = (int) openFiles.invokeExact(state, name, CLOSE_ON_EXEC_MOUNT);
            check("fsopen", files, state);
            check(
                    "fsconfig pidns",
                    (int) configure.invokeExact(state, files, SET_STRING, key, value, 0),
                    state);
            check("fsconfig", (int) configure.invokeExact(state, files, CREATE, no, no, 0), state);
            mounted =
                    (int)
                            mountFiles.invokeExact(
                                    state, files, CLOSE_ON_EXEC_MOUNT, NO_SUID_DEVICES_PROGRAMS);
            check("fsmount", mounted, state);
            check(
                    "move_mount",
                    (int) moveMount.invokeExact(state, mounted, here, HERE, place, BY_FILE),
                    state);
        } catch (Throwable e) {
            throw failed(e);
        } finally {
            close(arena, mounted);
            close(arena, files);
        }
    }

    private void comeBack(Arena arena) throws IOException {
        MemorySegment state = state(arena);
        MemorySegment here = arena.allocateFrom(".");
        try {
            check("setns", (int) enter.invokeExact(state, ownMounts, NEW_MOUNTS), state);
            check("setns", (int) enter.invokeExact(state, ownPids, NEW_PID), state);
            check("fchdir", (int) changeDirectory.invokeExact(state, ownRoot), state);
            check("chroot", (int) changeRoot.invokeExact(state, here), state);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    private int open(Arena arena, String path) throws IOException {
        MemorySegment state = state(arena);
        MemorySegment name = arena.allocateFrom(path);
        try {
            return check(path, (int) open.invokeExact(state, name, CLOSE_ON_EXEC), state);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    private void close(Arena arena, int file) throws IOException {
        if (file < 0) {
            return;
        }
        MemorySegment state = state(arena);
        try {
            check("close", (int) close.invokeExact(state, file), state);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    private static MemorySegment state(Arena arena) {
        return arena.allocate(Linker.Option.captureStateLayout());
    }

    private static int check(String call, int result, MemorySegment state) throws IOException {
        if (result < 0) {
            throw new IOException(call + ": error " + (int) ERROR.get(state, 0L));
        }
        return result;
    }

    private static IOException failed(Throwable e) {
        if (e instanceof IOException known) {
            return known;
        }
        throw new IllegalStateException("a call of the C library failed", e);
    }

    @SuppressWarnings("restricted")
    private static MethodHandle function(String name, ValueLayout... arguments) {
        Linker linker = Linker.nativeLinker();
        MemorySegment symbol = linker.defaultLookup().find(name).orElseThrow();
        return linker.downcallHandle(symbol, FunctionDescriptor.of(INT, arguments), ERRNO);
    }
}
