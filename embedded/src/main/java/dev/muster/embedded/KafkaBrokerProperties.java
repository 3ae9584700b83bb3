package dev.muster.embedded;

import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * The settings of a broker that is its own controller.
 *
 * <p>What is durable: the controller's log is flushed at every append; topics are not, so that they
 * survive the death of the process but may lose the last half minute when the machine loses power.
 * Muster's truth is in PostgreSQL, from which what Kafka lost is published again; a flush of every
 * topic would only slow down PostgreSQL's on the same disk.
 */
record KafkaBrokerProperties(Path log, int port, int controllerPort, String password) {
    static final String USER = "muster";
    static final int NODE_ID = 1;

    private static final String CLIENTS = "CLIENTS";
    static final String CONTROLLER = "CONTROLLER";
    private static final Set<String> FIXED =
            Set.of(
                    "process.roles",
                    "node.id",
                    "log.dir",
                    "log.dirs",
                    "metadata.log.dir",
                    "listeners",
                    "advertised.listeners",
                    "inter.broker.listener.name");
    private static final Set<String> FIXED_PREFIXES =
            Set.of("controller.", "listener.", "sasl.", "security.", "authorizer.");

    static boolean isFixed(String name) {
        return FIXED.contains(name) || FIXED_PREFIXES.stream().anyMatch(name::startsWith);
    }

    Properties with(Map<String, String> overrides) {
        Properties all = new Properties();
        identity(all);
        security(all);
        oneReplica(all);
        small(all);
        all.putAll(overrides);
        return all;
    }

    private void identity(Properties all) {
        String clients = CLIENTS + "://" + LoopbackPorts.HOST + ":" + port;
        String controller = LoopbackPorts.HOST + ":" + controllerPort;
        all.setProperty("process.roles", "broker,controller");
        all.setProperty("node.id", Integer.toString(NODE_ID));
        all.setProperty("log.dirs", log.toString());
        all.setProperty("listeners", clients + "," + CONTROLLER + "://" + controller);
        all.setProperty("advertised.listeners", clients);
        all.setProperty("inter.broker.listener.name", CLIENTS);
        all.setProperty("controller.listener.names", CONTROLLER);
        // Named here and not in the log, so that the port may change from start to start.
        all.setProperty("controller.quorum.voters", NODE_ID + "@" + controller);
    }

    private void security(Properties all) {
        String mechanism = KafkaConnection.MECHANISM;
        all.setProperty(
                "listener.security.protocol.map",
                CLIENTS + ":SASL_PLAINTEXT," + CONTROLLER + ":SASL_PLAINTEXT");
        all.setProperty("sasl.enabled.mechanisms", mechanism);
        all.setProperty("sasl.mechanism.inter.broker.protocol", mechanism);
        all.setProperty(
                "listener.name.clients.scram-sha-256.sasl.jaas.config",
                KafkaConnection.jaas(USER, password));
        // SCRAM's credentials are in the controller's log, so it would refuse itself until it has
        // read
        // that. The same password checked against this very configuration has no such moment.
        all.setProperty("listener.name.controller.sasl.enabled.mechanisms", "PLAIN");
        all.setProperty("sasl.mechanism.controller.protocol", "PLAIN");
        all.setProperty(
                "listener.name.controller.plain.sasl.jaas.config",
                ("org.apache.kafka.common.security.plain.PlainLoginModule required"
                                + " username=\"%s\" password=\"%s\" user_%s=\"%s\";")
                        .formatted(USER, password, USER, password));
    }

    private static void oneReplica(Properties all) {
        all.setProperty("default.replication.factor", "1");
        all.setProperty("min.insync.replicas", "1");
        all.setProperty("offsets.topic.replication.factor", "1");
        all.setProperty("offsets.topic.num.partitions", "4");
        all.setProperty("transaction.state.log.replication.factor", "1");
        all.setProperty("transaction.state.log.min.isr", "1");
        all.setProperty("transaction.state.log.num.partitions", "4");
        all.setProperty("share.coordinator.state.topic.replication.factor", "1");
        all.setProperty("share.coordinator.state.topic.min.isr", "1");
        all.setProperty("share.coordinator.state.topic.num.partitions", "1");
        // A broker that said goodbye may return at once; one that was killed only after its
        // session.
        all.setProperty("controlled.shutdown.enable", "true");
        all.setProperty("broker.session.timeout.ms", "3000");
        all.setProperty("broker.heartbeat.interval.ms", "500");
        all.setProperty("group.initial.rebalance.delay.ms", "0");
    }

    private static void small(Properties all) {
        // Topics have their partitions and their retention from whoever makes them.
        all.setProperty("auto.create.topics.enable", "false");
        all.setProperty("num.network.threads", "2");
        all.setProperty("num.io.threads", "2");
        all.setProperty("background.threads", "2");
        all.setProperty("num.recovery.threads.per.data.dir", "2");
        all.setProperty("log.cleaner.dedupe.buffer.size", Integer.toString(16 * 1024 * 1024));
        all.setProperty("log.cleaner.io.buffer.size", Integer.toString(128 * 1024));
        all.setProperty("log.segment.bytes", Integer.toString(64 * 1024 * 1024));
        all.setProperty("log.index.size.max.bytes", Integer.toString(1024 * 1024));
        all.setProperty("metadata.log.segment.bytes", Integer.toString(16 * 1024 * 1024));
        all.setProperty("metadata.max.retention.bytes", Integer.toString(64 * 1024 * 1024));
        all.setProperty("log.retention.bytes", Long.toString(1024L * 1024 * 1024));
    }
}
