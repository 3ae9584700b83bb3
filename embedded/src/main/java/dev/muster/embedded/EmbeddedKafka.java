package dev.muster.embedded;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;

/**
 * A real Kafka broker in KRaft mode inside this JVM, on 127.0.0.1 and with a password, in a
 * directory of the user's. It ends with the JVM; the next {@link #start} recovers what a killed one
 * wrote.
 */
public final class EmbeddedKafka implements AutoCloseable {
    static final String SERVER = "kafka";

    private final ServerDirectory directory;
    private final DirectoryLock lock;
    private final KafkaBrokerProperties identity;
    private final Properties properties;
    private final Restarts restarts;
    private volatile KafkaBroker broker;

    private EmbeddedKafka(ServerDirectory directory, DirectoryLock lock, KafkaSettings settings) {
        this.directory = directory;
        this.lock = lock;
        Path log = directory.own().resolve("log");
        if (log.toString().contains(",")) {
            throw new EmbeddedServerException(
                    "Data directory "
                            + directory.dataDirectory()
                            + " has a comma in its path, which Kafka cannot take: choose another.");
        }
        this.identity =
                new KafkaBrokerProperties(
                        log,
                        directory.port("port", settings.port()),
                        directory.port("controller.port", settings.controllerPort()),
                        directory.password());
        this.properties = identity.with(settings.overrides());
        this.broker = KafkaBroker.start(identity, properties);
        directory.writeConnection(connection().toProperties());
        this.restarts = new Restarts("Kafka", this::startAgain);
        watch();
    }

    /**
     * Starts the broker of a data directory and returns when it takes requests.
     *
     * @throws EmbeddedServerException when the directory is in use or not writable, a configured
     *     port is in use, the disk is full, …
     */
    public static EmbeddedKafka start(Path dataDirectory, KafkaSettings settings) {
        ServerDirectory directory = ServerDirectory.of(dataDirectory, SERVER);
        directory.prepare();
        DirectoryLock lock = DirectoryLock.take(directory.own());
        boolean started = false;
        try {
            EmbeddedKafka kafka = new EmbeddedKafka(directory, lock, settings);
            started = true;
            return kafka;
        } finally {
            if (!started) {
                lock.close();
            }
        }
    }

    /** How to connect to the broker of a data directory, as its starter wrote it last. */
    public static Optional<KafkaConnection> read(Path dataDirectory) {
        return ServerDirectory.of(dataDirectory, SERVER).readConnection().map(KafkaConnection::of);
    }

    public KafkaConnection connection() {
        return new KafkaConnection(
                LoopbackPorts.HOST,
                identity.port(),
                KafkaBrokerProperties.USER,
                identity.password(),
                ProcessHandle.current().pid());
    }

    /** Why the broker is down at the moment, in one sentence; empty when it runs. */
    public Optional<String> trouble() {
        return restarts.trouble();
    }

    private void watch() {
        restarts.when(broker.lost(), "Kafka has lost its disk, " + identity.log() + ".");
    }

    private void startAgain() {
        if (!broker.shutDown()) {
            throw new EmbeddedServerException(
                    "Kafka does not end after a failure: start this process again.");
        }
        broker = KafkaBroker.start(identity, properties);
        watch();
    }

    /** Shuts the broker down and releases the data directory. */
    @Override
    public void close() {
        if (!restarts.close()) {
            return;
        }
        try {
            broker.shutDown();
            directory.deleteConnection();
        } finally {
            lock.close();
        }
    }
}
