package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Installation.Said;
import dev.muster.testkit.TestDatabase;
import dev.muster.testkit.TestPostgres;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What commands that look, back up and restore do to directories: nothing that was not asked. */
class DirectoryCareIT {

    private static final List<List<String>> LOOKS =
            List.of(
                    List.of("doctor"),
                    List.of("verify"),
                    List.of("admin", "lanes"),
                    List.of("admin", "rolled"),
                    List.of("backup", "never.backup"),
                    List.of("support-bundle", "never.tar.gz"));

    @TempDir private Path folder;

    private static Installation stopped;

    @BeforeAll
    static void upAndDown() throws Exception {
        stopped = new Installation();
        stopped.up().close();
    }

    @AfterAll
    static void discard() throws Exception {
        stopped.close();
    }

    private static Said look(List<String> command, Path directory) {
        return Installation.command(
                Stream.concat(command.stream(), Stream.of("--data-dir", directory.toString()))
                        .toArray(String[]::new));
    }

    @Test
    void refusesADirectoryThatIsNotThereOrNotMustersAndLeavesItAsItIs() throws IOException {
        Path none = folder.resolve("mistyped");
        Path other = Files.createDirectory(folder.resolve("other"));
        for (List<String> each : LOOKS) {
            Said said = look(each, none);
            assertThat(said.exitCode()).as(each.toString()).isEqualTo(ExitCodes.UNAVAILABLE);
            assertThat(said.err()).contains("there is no directory " + none);
            assertThat(none).doesNotExist();

            assertThat(look(each, other).err()).contains("is no data directory of Muster");
            assertThat(look(each, other).exitCode()).isEqualTo(ExitCodes.UNAVAILABLE);
            assertThat(other).isEmptyDirectory();
        }
    }

    @Test
    void makesNoKeysAndLeavesNoObjectsWhereItOnlyLooks() throws IOException {
        Path key = stopped.directory().resolve("secrets-key");
        byte[] kept = Files.readAllBytes(key);
        Files.delete(key);
        try {
            assertThat(stopped.muster("doctor").exitCode()).isZero();

            assertThat(key).doesNotExist();
            assertThat(names(stopped.directory().resolve("store")))
                    .noneMatch(name -> name.startsWith("muster"));
        } finally {
            Files.write(key, kept);
        }
    }

    @Test
    void leavesOutWhatIsNoObjectAndRestoresIntoADirectoryThatBecomesPrivate() throws IOException {
        Path store = Files.createDirectories(stopped.directory().resolve("store"));
        Path stray = Files.writeString(store.resolve("stray"), "no object");
        byte[] large = new byte[3 << 20];
        Path object = Files.createDirectories(store.resolve("care")).resolve("large");
        Files.write(object, large);
        Path backup = folder.resolve("muster.backup");
        Path target = Files.createDirectory(folder.resolve("restored"));
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxr-xr-x"));
        try {
            Said said = stopped.muster("backup", backup.toString());
            assertThat(said.exitCode()).as(said.err()).isZero();
            assertThat(said.err()).contains(stray.getFileName() + " is no object");
        } finally {
            Files.delete(stray);
            Files.delete(object);
        }
        try (Installation restored = new Installation(target)) {
            Said said = restored.muster("restore", backup.toString());

            assertThat(said.exitCode()).as(said.err()).isZero();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target)))
                    .isEqualTo("rwx------");
            assertThat(target.resolve("store/care/large")).hasBinaryContent(large);
            assertThat(names(target)).noneMatch(name -> name.startsWith(".restore"));
        }
    }

    @Test
    void restoresTablesIntoTheServerThatTheSettingsNameUnlessItHasThemAlready() throws IOException {
        Path backup = folder.resolve("muster.backup");
        assertThat(stopped.muster("backup", backup.toString()).exitCode()).isZero();
        try (TestDatabase database = TestPostgres.shared().newDatabase()) {
            Path target = folder.resolve("served");

            assertThat(restoreServed(backup, target, database).exitCode()).isZero();

            assertThat(target.resolve("postgres")).doesNotExist();
            assertThat(served(database, "verify", "--data-dir", target.toString()).out())
                    .contains("holds   public: the journal is sound");
            Said again = restoreServed(backup, folder.resolve("again"), database);
            assertThat(again.exitCode()).isEqualTo(ExitCodes.FAILED);
            assertThat(again.err()).contains("has Muster's tables", "sql.database");
        }
    }

    private static Said restoreServed(Path backup, Path target, TestDatabase database) {
        return served(database, "restore", backup.toString(), "--data-dir", target.toString());
    }

    private static Said served(TestDatabase database, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        database.settings().forEach((name, value) -> all.addAll(List.of("-c", name + "=" + value)));
        return Installation.command(all.toArray(String[]::new));
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> inside = Files.list(directory)) {
            return inside.map(each -> each.getFileName().toString()).toList();
        }
    }
}
