package dev.muster.embedded;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A real PostgreSQL on 127.0.0.1, durable and with a password, in a directory of the user's.
 *
 * <p>The server outlives a killed JVM; the next {@link #start} on the same data directory adopts
 * it. While this handle is open, a server that ends on its own (a full disk, an operator's {@code
 * pg_ctl stop}) is started again, on the same port, as soon as that works.
 */
public final class EmbeddedPostgres implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedPostgres.class);
    static final String SERVER = "postgres";
    private static final int PORT_ATTEMPTS = 5;

    /** How {@link #stop} ends the server. */
    public enum StopMode {
        /** Waits until every client has left, at most a minute. */
        SMART("TERM"),
        /** Ends the sessions of all clients, writes a checkpoint. */
        FAST("INT"),
        /** Ends at once; the next start recovers from the write-ahead log. */
        IMMEDIATE("QUIT");

        private final String signal;

        StopMode(String signal) {
            this.signal = signal;
        }

        String signal() {
            return signal;
        }
    }

    private final ServerDirectory directory;
    private final DirectoryLock lock;
    private final PostgresSettings settings;
    private final PostgresServer server;
    private final String password;
    private final Restarts restarts;
    private final boolean adopted;
    private volatile Postmaster current;

    private EmbeddedPostgres(
            ServerDirectory directory,
            DirectoryLock lock,
            PostgresSettings settings,
            ServerUser user) {
        this.directory = directory;
        this.lock = lock;
        this.settings = settings;
        this.password = directory.password();
        Path cache = settings.cacheDirectory().orElseGet(EmbeddedPostgres::userCache);
        Path binaries = PostgresBinaries.unpackedIn(user.place(cache.toAbsolutePath().normalize()));
        Path data = real(user.place(directory.own().resolve("data")));
        PostgresCluster cluster = new PostgresCluster(binaries, user, data);
        this.server = new PostgresServer(cluster, log(directory));
        cluster.ensureExists(password);
        Optional<Postmaster> found = adopt();
        this.adopted = found.isPresent();
        this.current = found.orElseGet(this::launch);
        publish();
        this.restarts = new Restarts("PostgreSQL", this::startAgain);
        watch();
    }

    /**
     * Starts the server of a data directory or adopts the one that runs, and returns when it takes
     * connections.
     *
     * @throws EmbeddedServerException when the directory is in use or not writable, its version is
     *     another one, a configured port is in use, the disk is full, …
     */
    public static EmbeddedPostgres start(Path dataDirectory, PostgresSettings settings) {
        return start(dataDirectory, settings, ServerUser.detect());
    }

    static EmbeddedPostgres start(Path dataDirectory, PostgresSettings settings, ServerUser user) {
        ServerDirectory directory = ServerDirectory.of(dataDirectory, SERVER);
        directory.prepare();
        DirectoryLock lock = DirectoryLock.take(directory.own());
        boolean started = false;
        try {
            EmbeddedPostgres postgres = new EmbeddedPostgres(directory, lock, settings, user);
            started = true;
            return postgres;
        } finally {
            if (!started) {
                lock.close();
            }
        }
    }

    /** How to connect to the server of a data directory, as its starter wrote it last. */
    public static Optional<PostgresConnection> read(Path dataDirectory) {
        return ServerDirectory.of(dataDirectory, SERVER)
                .readConnection()
                .map(PostgresConnection::of);
    }

    /** How to connect; after a restart of the server only {@code pid} differs. */
    public PostgresConnection connection() {
        Postmaster postmaster = current;
        return new PostgresConnection(
                LoopbackPorts.HOST,
                postmaster.port(),
                PostgresCluster.DATABASE,
                PostgresCluster.USER,
                password,
                postmaster.pid());
    }

    /** Whether {@link #start} found the server running. */
    public boolean wasAdopted() {
        return adopted;
    }

    /** Why the server is down at the moment, in one sentence; empty when it runs. */
    public Optional<String> trouble() {
        return restarts.trouble();
    }

    private Optional<Postmaster> adopt() {
        Optional<Postmaster> found = server.running();
        if (found.isEmpty()) {
            return found;
        }
        Postmaster left = found.get();
        boolean portSuits = settings.port().isEmpty() || settings.port().getAsInt() == left.port();
        if (portSuits && server.startedWith(settings.effective(left.port()))) {
            LOG.info(
                    "adopted the running PostgreSQL, process {}, port {}", left.pid(), left.port());
            return found;
        }
        LOG.info("restarting PostgreSQL, process {}: its settings have changed", left.pid());
        server.stop(left, StopMode.FAST);
        return Optional.empty();
    }

    private Postmaster launch() {
        int port = directory.port("port", settings.port());
        for (int attempt = 1; attempt <= PORT_ATTEMPTS; attempt++) {
            try {
                return server.start(settings.effective(port));
            } catch (PostgresServer.PortTaken _) {
                if (settings.port().isPresent()) {
                    break;
                }
                port = directory.newPort("port");
            }
        }
        throw Sentences.portInUse(SERVER, port);
    }

    private void startAgain() {
        Map<String, String> same = settings.effective(current.port());
        try {
            // Somebody else may have started it meanwhile, by hand.
            Optional<Postmaster> found = server.running();
            current = found.isPresent() ? found.get() : server.start(same);
        } catch (PostgresServer.PortTaken _) {
            throw Sentences.portInUse(SERVER, current.port());
        }
        publish();
        watch();
    }

    private void watch() {
        Postmaster watched = current;
        CompletableFuture<?> exit =
                ProcessHandle.of(watched.pid())
                        .<CompletableFuture<?>>map(ProcessHandle::onExit)
                        .orElseGet(() -> CompletableFuture.completedFuture(null));
        restarts.when(exit, "PostgreSQL, process " + watched.pid() + ", has ended.");
    }

    private void publish() {
        directory.writeConnection(connection().toProperties());
    }

    /**
     * Ends the server of a directory that nobody has open, without a checkpoint.
     *
     * @return where its data are, which may be elsewhere
     */
    static Path endLeftover(Path dataDirectory) {
        ServerDirectory directory = ServerDirectory.of(dataDirectory, SERVER);
        if (!Files.isDirectory(directory.own())) {
            return directory.own();
        }
        ServerUser user = ServerUser.detect();
        Path data = real(user.place(directory.own().resolve("data")));
        Postmaster.read(data)
                .filter(Postmaster::isAlive)
                .flatMap(left -> ProcessHandle.of(left.pid()))
                .ifPresent(ProcessHandle::destroyForcibly);
        return data;
    }

    private static PostgresLog log(ServerDirectory directory) {
        return new PostgresLog(directory.own().resolve("server.log"));
    }

    private static Path userCache() {
        return Path.of(System.getProperty("user.home"), ".cache", "muster");
    }

    // The server's working directory is shown without symbolic links.
    private static Path real(Path data) {
        Path above = data.resolveSibling("").normalize();
        try {
            Files.createDirectories(above);
            return above.toRealPath().resolve(data.getFileName());
        } catch (IOException e) {
            throw Sentences.unwritable(above, e);
        }
    }

    /** Stops the server and releases the data directory. */
    public void stop(StopMode mode) {
        if (restarts.close()) {
            try {
                server.stop(current, mode);
                directory.deleteConnection();
            } finally {
                lock.close();
            }
        }
    }

    /** {@link #stop} in mode {@link StopMode#FAST}. */
    @Override
    public void close() {
        stop(StopMode.FAST);
    }
}
