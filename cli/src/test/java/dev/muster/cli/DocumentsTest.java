package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class DocumentsTest {

    @TempDir private Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("job.yaml"), text);
    }

    @Test
    void readsYamlOfWhichJsonIsAPart() throws IOException {
        assertThat(Documents.readFile(file("name: a\ninstances: 2\n")).path("instances").asInt())
                .isEqualTo(2);
        assertThat(Documents.readFile(file("{\"name\": \"a\"}")).path("name").asText())
                .isEqualTo("a");
    }

    @Test
    void refusesAMemberThatIsGivenTwice() throws IOException {
        Path twice = file("name: a\ncommand: echo\nname: b\n");

        assertThatThrownBy(() -> Documents.readFile(twice))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("name")
                .hasMessageContaining("line 3");
    }
}
