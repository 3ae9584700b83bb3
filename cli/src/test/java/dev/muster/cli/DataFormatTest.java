package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class DataFormatTest {

    @TempDir private Path folder;

    @Test
    void bringsADirectoryOfBeforeUpToDate() {
        new DataDirectory(folder).prepare();

        assertThat(folder.resolve("format")).hasContent(DataFormat.VERSION + "\n");
        new DataDirectory(folder).prepare();
    }

    @Test
    void refusesADirectoryOfANewerMusterInWords() throws IOException {
        Files.writeString(folder.resolve("format"), "3\n");

        assertThatThrownBy(() -> new DataDirectory(folder).prepare())
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("has format 3, written by a newer Muster")
                .hasMessageContaining("knows formats up to 2");
        assertThat(folder.resolve("format")).hasContent("3\n");
        assertThat(Installation.command("verify", "--data-dir", folder.toString()).err())
                .contains("written by a newer Muster");
    }

    @Test
    void refusesWhatIsNoFormat() throws IOException {
        Files.writeString(folder.resolve("format"), "new\n");

        assertThatThrownBy(() -> new DataDirectory(folder).prepare())
                .hasMessageContaining("says \"new\"");
    }

    @Test
    void refusesADirectoryWhoseRestoreDidNotEnd() throws IOException {
        DataFormat.beginRestore(folder);

        assertThatThrownBy(() -> new DataDirectory(folder).prepare())
                .hasMessageContaining("did not come to its end");
    }
}
