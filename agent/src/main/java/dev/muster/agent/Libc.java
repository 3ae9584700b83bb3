package dev.muster.agent;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The few calls of the C library that the JDK has no method for. Each saves the execution of a
 * program: mkfifo, kill, and on the way to a new process setsid and the JDK's own helper.
 */
final class Libc {

    static final int KILL = 9;
    static final int TERMINATE = 15;
    static final int STOP = 19;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;
    private static final ValueLayout POINTER = ValueLayout.ADDRESS;
    private static final int OWN_READ_WRITE = 0600;
    private static final int NO_HANG = 1;

    private Libc() {}

    /** Whether a FIFO lies there now that only its owner may use. */
    static boolean makeFifo(Path path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(path.toString());
            return (int) Basic.MKFIFO.invokeExact(name, OWN_READ_WRITE) == 0;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Nothing happens if there is no such process. */
    static void kill(long pid, int signal) {
        if (pid < 2) {
            throw new IllegalArgumentException(pid + " is no process to send a signal to");
        }
        try {
            int result = (int) Basic.KILL_CALL.invokeExact((int) pid, signal);
            assert result == 0 || result == -1;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * Takes note of the end of a child that {@link #spawn} made.
     *
     * @return whether it has ended
     */
    static boolean reap(long pid) {
        try {
            return (int) Basic.WAITPID.invokeExact((int) pid, MemorySegment.NULL, NO_HANG) != 0;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Whether {@link #spawn} can be used here. */
    static boolean canSpawn() {
        return Spawn.AVAILABLE.isPresent();
    }

    /**
     * Starts a program as the leader of a session of its own, with every signal as it is by
     * default, nothing to read, and no open file of this process. The caller reaps it.
     *
     * @param command program, looked for on this process's path, and its arguments
     * @param environment all of it, each {@code NAME=value}
     * @param directory where it starts
     * @param output file that what it prints is appended to
     * @return its pid
     */
    static long spawn(List<String> command, List<String> environment, Path directory, Path output)
            throws IOException {
        Spawn spawn = Spawn.AVAILABLE.orElseThrow();
        int[] result = spawn.start(command, environment, directory, output);
        if (result[0] != 0) {
            throw new IOException(
                    "'" + command.getFirst() + "' cannot be started: error " + result[0]);
        }
        return result[1];
    }

    private static IllegalStateException unexpected(Throwable e) {
        return new IllegalStateException("a call of the C library failed", e);
    }

    @SuppressWarnings("restricted")
    private static MethodHandle function(String name, FunctionDescriptor type) {
        Linker linker = Linker.nativeLinker();
        MemorySegment symbol = linker.defaultLookup().find(name).orElseThrow();
        return linker.downcallHandle(symbol, type);
    }

    private static final class Basic {
        static final MethodHandle MKFIFO =
                function("mkfifo", FunctionDescriptor.of(INT, POINTER, INT));
        static final MethodHandle KILL_CALL =
                function("kill", FunctionDescriptor.of(INT, INT, INT));
        static final MethodHandle WAITPID =
                function("waitpid", FunctionDescriptor.of(INT, INT, POINTER, INT));
    }

    /** {@code posix_spawn} with the extensions that this needs: glibc has them since 2.34. */
    private static final class Spawn {

        static final Optional<Spawn> AVAILABLE = find();

        /** More than any C library's opaque structures take. */
        private static final int OPAQUE_BYTES = 1024;

        private static final short FLAGS = 0x80 | 0x04 | 0x08; // session, default signals, mask
        private static final int FIRST_OTHER_FILE = 3;
        private static final int READ_ONLY = 0;
        private static final int APPEND = 1 | 0x40 | 0x400; // write, create

        private final MethodHandle spawn =
                function(
                        "posix_spawnp",
                        FunctionDescriptor.of(
                                INT, POINTER, POINTER, POINTER, POINTER, POINTER, POINTER));
        private final MethodHandle attributesInit = one("posix_spawnattr_init");
        private final MethodHandle attributesDestroy = one("posix_spawnattr_destroy");
        private final MethodHandle setFlags =
                function("posix_spawnattr_setflags", FunctionDescriptor.of(INT, POINTER, SHORT));
        private final MethodHandle setDefaults = two("posix_spawnattr_setsigdefault");
        private final MethodHandle setMask = two("posix_spawnattr_setsigmask");
        private final MethodHandle fillSignals = one("sigfillset");
        private final MethodHandle emptySignals = one("sigemptyset");
        private final MethodHandle filesInit = one("posix_spawn_file_actions_init");
        private final MethodHandle filesDestroy = one("posix_spawn_file_actions_destroy");
        private final MethodHandle addOpen =
                function(
                        "posix_spawn_file_actions_addopen",
                        FunctionDescriptor.of(INT, POINTER, INT, POINTER, INT, INT));
        private final MethodHandle addDuplicate =
                function(
                        "posix_spawn_file_actions_adddup2",
                        FunctionDescriptor.of(INT, POINTER, INT, INT));
        private final MethodHandle addDirectory = two("posix_spawn_file_actions_addchdir_np");
        private final MethodHandle addClosing =
                function(
                        "posix_spawn_file_actions_addclosefrom_np",
                        FunctionDescriptor.of(INT, POINTER, INT));

        private static Optional<Spawn> find() {
            SymbolLookup symbols = Linker.nativeLinker().defaultLookup();
            return symbols.find("posix_spawn_file_actions_addclosefrom_np").isPresent()
                    ? Optional.of(new Spawn())
                    : Optional.empty();
        }

        private static MethodHandle one(String name) {
            return function(name, FunctionDescriptor.of(INT, POINTER));
        }

        private static MethodHandle two(String name) {
            return function(name, FunctionDescriptor.of(INT, POINTER, POINTER));
        }

        /** Error number, 0 for none, and pid. */
        int[] start(List<String> command, List<String> environment, Path directory, Path output) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment attributes = arena.allocate(OPAQUE_BYTES, Long.BYTES);
                MemorySegment files = arena.allocate(OPAQUE_BYTES, Long.BYTES);
                MemorySegment pid = arena.allocate(INT);
                check((int) attributesInit.invokeExact(attributes));
                check((int) filesInit.invokeExact(files));
                try {
                    setAttributes(arena, attributes);
                    addFiles(arena, files, directory, output);
                    int error =
                            (int)
                                    spawn.invokeExact(
                                            pid,
                                            arena.allocateFrom(command.getFirst()),
                                            files,
                                            attributes,
                                            strings(arena, command),
                                            strings(arena, environment));
                    return new int[] {error, pid.get(INT, 0)};
                } finally {
                    check((int) filesDestroy.invokeExact(files));
                    check((int) attributesDestroy.invokeExact(attributes));
                }
            } catch (Throwable e) {
                throw unexpected(e);
            }
        }

        private void setAttributes(Arena arena, MemorySegment attributes) throws Throwable {
            MemorySegment signals = arena.allocate(OPAQUE_BYTES, Long.BYTES);
            check((int) fillSignals.invokeExact(signals));
            check((int) setDefaults.invokeExact(attributes, signals));
            check((int) emptySignals.invokeExact(signals));
            check((int) setMask.invokeExact(attributes, signals));
            check((int) setFlags.invokeExact(attributes, FLAGS));
        }

        private void addFiles(Arena arena, MemorySegment files, Path directory, Path output)
                throws Throwable {
            MemorySegment nothing = arena.allocateFrom("/dev/null");
            MemorySegment log = arena.allocateFrom(output.toString());
            MemorySegment start = arena.allocateFrom(directory.toString());
            check((int) addOpen.invokeExact(files, 0, nothing, READ_ONLY, 0));
            check((int) addOpen.invokeExact(files, 1, log, APPEND, OWN_READ_WRITE));
            check((int) addDuplicate.invokeExact(files, 1, 2));
            check((int) addDirectory.invokeExact(files, start));
            check((int) addClosing.invokeExact(files, FIRST_OTHER_FILE));
        }

        private static MemorySegment strings(Arena arena, List<String> all) {
            MemorySegment array = arena.allocate(POINTER, all.size() + 1L);
            for (int n = 0; n < all.size(); n++) {
                array.setAtIndex(ValueLayout.ADDRESS, n, arena.allocateFrom(all.get(n)));
            }
            array.setAtIndex(ValueLayout.ADDRESS, all.size(), MemorySegment.NULL);
            return array;
        }

        private static void check(int error) {
            if (error != 0) {
                throw new IllegalStateException("error " + error);
            }
        }
    }
}
