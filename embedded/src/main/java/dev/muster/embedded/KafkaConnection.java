package dev.muster.embedded;

import java.util.Map;
import java.util.Properties;

/**
 * How to connect to an embedded Kafka.
 *
 * @param pid the process id of the JVM that it runs in
 */
public record KafkaConnection(String host, int port, String user, String password, long pid) {
    static final String MECHANISM = "SCRAM-SHA-256";

    public String bootstrapServers() {
        return host + ":" + port;
    }

    /** What a Kafka client needs to connect; holds the password. */
    public Map<String, String> clientProperties() {
        return Map.of(
                "bootstrap.servers",
                bootstrapServers(),
                "security.protocol",
                "SASL_PLAINTEXT",
                "sasl.mechanism",
                MECHANISM,
                "sasl.jaas.config",
                jaas(user, password));
    }

    // The password is made of letters, digits, '-' and '_': nothing in it needs quoting.
    static String jaas(String user, String password) {
        return "org.apache.kafka.common.security.scram.ScramLoginModule required username=\""
                + user
                + "\" password=\""
                + password
                + "\";";
    }

    Properties toProperties() {
        Properties properties = new Properties();
        properties.setProperty("bootstrap.servers", bootstrapServers());
        properties.setProperty("host", host);
        properties.setProperty("port", Integer.toString(port));
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("pid", Long.toString(pid));
        return properties;
    }

    static KafkaConnection of(Properties properties) {
        ConnectionProperties values = new ConnectionProperties("kafka.properties", properties);
        return new KafkaConnection(
                values.text("host"),
                (int) values.number("port"),
                values.text("user"),
                values.text("password"),
                values.number("pid"));
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "KafkaConnection[" + bootstrapServers() + ", user=" + user + ", pid=" + pid + "]";
    }
}
