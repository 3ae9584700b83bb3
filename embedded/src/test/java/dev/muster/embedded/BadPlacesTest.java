package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What cannot be done is said in one sentence. */
class BadPlacesTest {
    @TempDir Path temporary;

    @Test
    void aFileInThePlaceOfTheDataDirectory() throws IOException {
        Path file = Files.writeString(temporary.resolve("taken"), "");
        assertThatThrownBy(() -> EmbeddedPostgres.start(file, PostgresSettings.defaults()))
                .isInstanceOf(EmbeddedServerException.class)
                .hasMessage(
                        "Data directory "
                                + file
                                + " cannot be written ("
                                + file
                                + " is not a directory): make it writable or choose another.");
        assertThatThrownBy(
                        () -> EmbeddedKafka.start(file.resolve("below"), KafkaSettings.defaults()))
                .isInstanceOf(EmbeddedServerException.class)
                .hasMessageContaining("cannot be written");
    }

    @Test
    void aDirectoryThatNobodyMayWrite() {
        Path sealed = Path.of("/proc/sys/muster");
        assertThatThrownBy(() -> EmbeddedPostgres.start(sealed, PostgresSettings.defaults()))
                .isInstanceOf(EmbeddedServerException.class)
                .hasMessageStartingWith("Data directory /proc/sys/muster cannot be written (");
    }

    @Test
    void rootWithoutAWayToBecomeAnother() {
        assertThatThrownBy(() -> ServerUser.choose(true, _ -> false))
                .isInstanceOf(EmbeddedServerException.class)
                .hasMessageContaining(
                        "neither `unshare` (with user namespaces) nor `setpriv` works");
        assertThat(ServerUser.choose(true, user -> user instanceof ServerUser.Nobody))
                .isInstanceOf(ServerUser.Nobody.class);
        assertThat(ServerUser.choose(false, _ -> false)).isInstanceOf(ServerUser.Same.class);
    }

    @Test
    void aSettingThatWouldMakeItLessDurableOrLessPrivate() {
        for (String name : List.of("fsync", "synchronous_commit", "full_page_writes", "hba_file")) {
            assertThatThrownBy(() -> PostgresSettings.defaults().withOverrides(Map.of(name, "off")))
                    .isInstanceOf(EmbeddedServerException.class)
                    .hasMessageContaining(name);
        }
        assertThatThrownBy(() ->
                        KafkaSettings.defaults()
                                .withOverrides(Map.of("listeners", "CLIENTS://0.0.0.0:9092")))
                .isInstanceOf(EmbeddedServerException.class)
                .hasMessageContaining("listeners");
    }

    @Test
    void aPrivateDirectoryThatNobodyCannotEnterIsReplaced() {
        ServerUser.Nobody nobody = new ServerUser.Nobody(Path.of("/var/lib/muster"));
        assertThat(nobody.place(temporary.resolve("postgres/data")))
                .startsWithRaw(Path.of("/var/lib/muster"));
        assertThat(nobody.place(Path.of("/srv/data"))).isEqualTo(Path.of("/srv/data"));
    }

    @Test
    void aComplaintIsFoundInTheOutputOfAServer() {
        String output =
                """
                2026-01-02 03:04:05.678 UTC [7] LOG:  starting PostgreSQL
                2026-01-02 03:04:05.679 UTC [7] FATAL:  could not create shared memory segment
                2026-01-02 03:04:05.680 UTC [7] LOG:  database system is shut down
                """;
        assertThat(PostgresLog.complaint(output))
                .isEqualTo("could not create shared memory segment");
        assertThat(PostgresLog.complaint("\n")).isEqualTo("nothing");
    }
}
