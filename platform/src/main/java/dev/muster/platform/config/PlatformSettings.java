package dev.muster.platform.config;

import java.util.List;

/** The keys that every service shares. */
public final class PlatformSettings implements Declarations {

    public static final Setting<String> DATA_DIR =
            Setting.text("data.dir", "", "Directory of muster.yaml, tokens and embedded servers.");
    public static final Setting<String> SERVICE_ID =
            Setting.text(
                    "service.id",
                    "local",
                    "Stable id of this process: a restart with the same id takes its leases and"
                            + " lanes over at once.");
    public static final Setting<String> SERVICE_TOKEN =
            Setting.secret("service.token", "Bearer token of requests between services.");
    public static final Setting<String> API_TOKEN =
            Setting.secret("api.token", "Bearer token of the public API.");
    public static final Setting<String> SECRETS_KEY =
            Setting.secret(
                    "secrets.key",
                    "Key under which secrets are stored: 32 bytes in base64url; by default a file"
                            + " of the data directory.");

    public static final Setting<String> SQL_HOST =
            Setting.text("sql.host", "127.0.0.1", "Host of PostgreSQL.");
    public static final Setting<Integer> SQL_PORT =
            Setting.integer("sql.port", 5432, 1, 65535, "Port of PostgreSQL.");
    public static final Setting<String> SQL_DATABASE =
            Setting.text("sql.database", "muster", "Database; each service has a schema in it.");
    public static final Setting<String> SQL_USER =
            Setting.text("sql.user", "muster", "Role to log in as.");
    public static final Setting<String> SQL_PASSWORD =
            Setting.secret("sql.password", "Password of that role.");
    public static final Setting<Integer> SQL_POOL_SIZE =
            Setting.integer("sql.poolSize", 6, 1, 100, "Connections of the shared pool.");
    public static final Setting<Integer> SQL_QUEUE =
            Setting.integer(
                    "sql.queue", 1000, 1, 100_000, "Requests that may wait for a connection.");
    public static final Setting<Integer> SQL_TIMEOUT_MILLIS =
            Setting.integer(
                    "sql.timeoutMillis",
                    10_000,
                    100,
                    600_000,
                    "Time after which a statement's outcome counts as unknown.");

    public static final Setting<List<String>> KAFKA_BOOTSTRAP =
            Setting.list("kafka.bootstrap", List.of("127.0.0.1:9092"), "Kafka brokers, host:port.");
    public static final Setting<String> KAFKA_USER =
            Setting.text("kafka.user", "", "SASL user; empty for none.");
    public static final Setting<String> KAFKA_PASSWORD =
            Setting.secret("kafka.password", "Password of the SASL user.");
    public static final Setting<Boolean> KAFKA_TLS =
            Setting.flag("kafka.tls", false, "Whether the brokers are reached over TLS.");
    public static final Setting<String> KAFKA_PREFIX =
            Setting.text("kafka.prefix", "muster", "First part of every topic's name.");
    public static final Setting<Integer> KAFKA_PARTITIONS =
            Setting.integer(
                    "kafka.partitions", 16, 1, 1024, "Partitions of each topic, one per pool.");
    public static final Setting<Integer> KAFKA_REPLICATION =
            Setting.integer("kafka.replication", 1, 1, 7, "Copies of each partition.");
    public static final Setting<Integer> KAFKA_RETENTION_HOURS =
            Setting.integer(
                    "kafka.retentionHours",
                    72,
                    1,
                    8760,
                    "How long commands, reports and events stay.");
    public static final Setting<Integer> KAFKA_IN_FLIGHT =
            Setting.integer(
                    "kafka.inFlight",
                    20_000,
                    1,
                    1_000_000,
                    "Records that may await their acknowledgement.");

    public static final Setting<List<String>> POOLS =
            Setting.list("pools", List.of(), "Dedicated pools beside the public one.");

    public static final Setting<Integer> LANE_WINDOW =
            Setting.integer(
                    "lanes.window",
                    50_000,
                    16,
                    5_000_000,
                    "Unacknowledged records kept in memory per lane.");
    public static final Setting<Long> LANE_WINDOW_BYTES =
            Setting.whole(
                    "lanes.windowBytes", 128L << 20, 1L << 20, 8L << 30, "Their bytes, at most.");
    public static final Setting<Integer> LANE_REPEAT_MILLIS =
            Setting.integer(
                    "lanes.repeatMillis",
                    1000,
                    50,
                    60_000,
                    "Age of an unacknowledged record at which the journalled position is read, and"
                            + " without progress the lane is repeated.");

    public static final Setting<String> JOURNAL_STORE =
            Setting.text(
                    "journal.store",
                    "",
                    "Folder of the weeks that no longer lie in PostgreSQL, the same for all"
                            + " services; by default journal of the data directory.");

    public static final Setting<String> HTTP_HOST =
            Setting.text("http.host", "127.0.0.1", "Address that servers bind to.");
    public static final Setting<Integer> HTTP_MAX_BODY_BYTES =
            Setting.integer("http.maxBodyBytes", 1 << 20, 1024, 64 << 20, "Longest request body.");

    public static final Setting<LogLevel> LOG_LEVEL =
            Setting.choice("log.level", LogLevel.INFO, "Level of Muster's own messages.");
    public static final Setting<LogFormat> LOG_FORMAT =
            Setting.choice("log.format", LogFormat.TEXT, "Lines of text or of JSON.");

    /** Levels of the log. */
    public enum LogLevel {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE
    }

    /** Forms of a line of the log. */
    public enum LogFormat {
        TEXT,
        JSON
    }

    /** For {@link java.util.ServiceLoader}. */
    public PlatformSettings() {}

    @Override
    public List<Setting<?>> settings() {
        return List.of(
                DATA_DIR,
                SERVICE_ID,
                SERVICE_TOKEN,
                API_TOKEN,
                SECRETS_KEY,
                SQL_HOST,
                SQL_PORT,
                SQL_DATABASE,
                SQL_USER,
                SQL_PASSWORD,
                SQL_POOL_SIZE,
                SQL_QUEUE,
                SQL_TIMEOUT_MILLIS,
                KAFKA_BOOTSTRAP,
                KAFKA_USER,
                KAFKA_PASSWORD,
                KAFKA_TLS,
                KAFKA_PREFIX,
                KAFKA_PARTITIONS,
                KAFKA_REPLICATION,
                KAFKA_RETENTION_HOURS,
                KAFKA_IN_FLIGHT,
                POOLS,
                LANE_WINDOW,
                LANE_WINDOW_BYTES,
                LANE_REPEAT_MILLIS,
                JOURNAL_STORE,
                HTTP_HOST,
                HTTP_MAX_BODY_BYTES,
                LOG_LEVEL,
                LOG_FORMAT);
    }

    @Override
    public List<String> failpoints() {
        return List.of("platform.lane.published", "platform.lane.repeated");
    }
}
