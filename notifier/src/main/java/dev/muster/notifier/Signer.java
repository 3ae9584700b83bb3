package dev.muster.notifier;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signatures of Standard Webhooks, version 1: HMAC-SHA256 over id, time and body, in base64. Not
 * thread-safe: one keyed state serves all.
 */
final class Signer {

    private static final String ALGORITHM = "HmacSHA256";
    private static final String VERSION = "v1,";

    private final Mac mac;

    Signer(byte[] key) {
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * @param atSeconds since 1970, as the header tells it
     */
    String sign(String id, long atSeconds, byte[] body) {
        mac.update((id + '.' + atSeconds + '.').getBytes(StandardCharsets.US_ASCII));
        return VERSION + Base64.getEncoder().encodeToString(mac.doFinal(body));
    }
}
