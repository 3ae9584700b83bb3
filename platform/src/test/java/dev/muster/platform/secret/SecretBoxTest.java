package dev.muster.platform.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

class SecretBoxTest {

    private static final byte[] SECRET = "a secret".getBytes(StandardCharsets.UTF_8);

    private final SecretBox box = box((byte) 1);

    private static SecretBox box(byte first) {
        byte[] key = new byte[32];
        key[0] = first;
        return SecretBox.of(
                Settings.defaults()
                        .with(
                                PlatformSettings.SECRETS_KEY,
                                Base64.getUrlEncoder().encodeToString(key)));
    }

    @Test
    void opensWhatItSealedAndNeverSealsTwiceAlike() {
        byte[] sealed = box.seal(SECRET, "a");
        assertThat(box.open(sealed, "a")).isEqualTo(SECRET);
        assertThat(box.seal(SECRET, "a")).isNotEqualTo(sealed);
    }

    @Test
    void opensNothingForAnotherOwnerOrUnderAnotherKeyOrThatWasChanged() {
        byte[] sealed = box.seal(SECRET, "a");
        assertThatThrownBy(() -> box.open(sealed, "b"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> box((byte) 2).open(sealed, "a"))
                .isInstanceOf(IllegalArgumentException.class);
        sealed[sealed.length - 1] ^= 1;
        assertThatThrownBy(() -> box.open(sealed, "a"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void namesTheSettingThatIsMissing() {
        assertThatThrownBy(() -> SecretBox.of(Settings.defaults()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("secrets.key");
    }
}
