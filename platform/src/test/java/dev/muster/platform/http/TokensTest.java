package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

class TokensTest {

    @TempDir Path dir;

    @Test
    void makesTokensOnceThatOnlyTheOwnerCanRead() throws IOException {
        Settings first = Tokens.complete(Settings.defaults(), dir.resolve("data"));
        Settings second = Tokens.complete(Settings.defaults(), dir.resolve("data"));
        String token = first.get(PlatformSettings.API_TOKEN);
        assertThat(token).hasSize(43).isEqualTo(second.get(PlatformSettings.API_TOKEN));
        assertThat(first.get(PlatformSettings.SERVICE_TOKEN)).hasSize(43).isNotEqualTo(token);
        Path file = dir.resolve("data").resolve(Tokens.API_FILE);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        try (var all = Files.list(dir.resolve("data"))) {
            assertThat(all).hasSize(3);
        }
    }

    @Test
    void leavesAConfiguredTokenAlone() {
        Settings given = Settings.defaults().with(PlatformSettings.API_TOKEN, "configured-token-1");
        Settings complete = Tokens.complete(given, dir);
        assertThat(complete.get(PlatformSettings.API_TOKEN)).isEqualTo("configured-token-1");
        assertThat(dir.resolve(Tokens.API_FILE)).doesNotExist();
    }
}
