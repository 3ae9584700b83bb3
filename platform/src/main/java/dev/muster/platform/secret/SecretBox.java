package dev.muster.platform.secret;

import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;

import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Secrets as they are stored: AES-256-GCM under {@code secrets.key}. Each is bound to the row that
 * it belongs to, so that one cannot be put in another's place.
 */
public final class SecretBox {

    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final byte VERSION = 1;
    private static final int KEY_BYTES = 32;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final SecretKey key;
    private final SecureRandom random = new SecureRandom();

    private SecretBox(byte[] key) {
        this.key = new SecretKeySpec(key, "AES");
    }

    /**
     * @throws IllegalStateException with one sentence if the key is missing or malformed
     */
    public static SecretBox of(Settings settings) {
        String text = settings.get(PlatformSettings.SECRETS_KEY);
        if (text.isEmpty()) {
            throw new IllegalStateException(
                    "secrets.key is not set: secrets of webhooks cannot be kept without it");
        }
        byte[] key;
        try {
            key = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException _) {
            throw new IllegalStateException("secrets.key is not base64url");
        }
        if (key.length != KEY_BYTES) {
            throw new IllegalStateException("secrets.key must hold " + KEY_BYTES + " bytes");
        }
        return new SecretBox(key);
    }

    /**
     * @param owner what the secret belongs to; needed again to open it
     */
    public byte[] seal(byte[] plain, String owner) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, nonce, owner);
            byte[] sealed = new byte[1 + NONCE_BYTES + cipher.getOutputSize(plain.length)];
            sealed[0] = VERSION;
            System.arraycopy(nonce, 0, sealed, 1, NONCE_BYTES);
            cipher.doFinal(plain, 0, plain.length, sealed, 1 + NONCE_BYTES);
            return sealed;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a secret cannot be sealed", e);
        }
    }

    /**
     * @throws IllegalArgumentException if it was sealed under another key, for another owner, or
     *     changed since
     */
    public byte[] open(byte[] sealed, String owner) {
        if (sealed.length <= 1 + NONCE_BYTES || sealed[0] != VERSION) {
            throw new IllegalArgumentException("this is no sealed secret");
        }
        byte[] nonce = Arrays.copyOfRange(sealed, 1, 1 + NONCE_BYTES);
        try {
            return cipher(Cipher.DECRYPT_MODE, nonce, owner)
                    .doFinal(sealed, 1 + NONCE_BYTES, sealed.length - 1 - NONCE_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "a secret does not open under secrets.key: it was sealed under another key", e);
        }
    }

    private Cipher cipher(int mode, byte[] nonce, String owner) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(CIPHER);
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(owner.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }
}
