package dev.muster.platform.http;

import io.vertx.core.http.HttpServerRequest;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** Checks a bearer token, in time that does not depend on where it differs. */
public final class BearerAuth {

    private static final String SCHEME = "Bearer ";

    private final byte[] expected;

    /**
     * @throws IllegalArgumentException if the token is shorter than 16 characters
     */
    public BearerAuth(String token) {
        if (token.length() < 16) {
            throw new IllegalArgumentException("a bearer token has at least 16 characters");
        }
        this.expected = hash(token);
    }

    public boolean permits(HttpServerRequest request) {
        return permits(request.getHeader("Authorization"));
    }

    boolean permits(@Nullable String header) {
        if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return false;
        }
        // hashes have one length, so the length of the token is not told either
        return MessageDigest.isEqual(expected, hash(header.substring(SCHEME.length()).strip()));
    }

    private static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
