package dev.muster.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

class SharedServersIT {
    @Test
    void givesEachTestAnEmptyDatabaseAndDropsIt() throws Exception {
        TestPostgres postgres = TestPostgres.shared();
        try (TestDatabase first = postgres.newDatabase();
                TestDatabase second = postgres.newDatabase()) {
            try (Connection connection = first.open();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE only_here (n int)");
            }
            assertThat(tables(first)).isEqualTo(1);
            assertThat(tables(second)).isZero();
        }
        try (TestDatabase third = postgres.newDatabase();
                Connection connection = third.open();
                Statement statement = connection.createStatement();
                ResultSet result =
                        statement.executeQuery(
                                "SELECT count(*) FROM pg_database WHERE datname LIKE 'test_%'")) {
            assertThat(result.next()).isTrue();
            assertThat(result.getInt(1)).isEqualTo(1);
        }
    }

    private static int tables(TestDatabase database) throws Exception {
        try (Connection connection = database.open();
                Statement statement = connection.createStatement();
                ResultSet result =
                        statement.executeQuery(
                                "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")) {
            assertThat(result.next()).isTrue();
            return result.getInt(1);
        }
    }

    @Test
    void givesEachTestTopicsOfItsOwn() throws Exception {
        TestKafka kafka = TestKafka.shared();
        String topic = kafka.freshTopic(3);
        String other = kafka.freshTopic(1);
        assertThat(other).isNotEqualTo(topic);
        try (Admin admin = Admin.create(Map.copyOf(kafka.connection().clientProperties()))) {
            var described =
                    admin.describeTopics(List.of(topic)).allTopicNames().get(30, TimeUnit.SECONDS);
            assertThat(Objects.requireNonNull(described.get(topic)).partitions()).hasSize(3);
        }
    }
}
