package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class SettingsPageTest {

    @Test
    void theDocumentedSettingsAreThoseOfTheCode() throws IOException {
        assertThat(Files.readString(Path.of("../docs/settings.md")))
                .as("write it anew: ./muster settings > docs/settings.md")
                .isEqualTo(SettingsCommand.page());
    }
}
