package dev.muster.storage;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Where an object, or all objects with a common prefix, lie: {@code scheme://bucket/key}.
 *
 * <p>A key is a path: it has no empty segment, no {@code .} and no {@code ..}, and may end with a
 * slash where it is meant as a prefix. These rules hold for every store, so a location that is
 * accepted can be moved from a file system to a bucket and back.
 *
 * @param scheme names the store by configuration, such as {@code obs}, {@code bos}, {@code s3}
 * @param bucket 1 to 63 of letters, digits, {@code . _ -}
 * @param key at most 1,024 bytes in UTF-8, empty for the whole bucket
 */
public record ObjectLocation(String scheme, String bucket, String key) {

    private static final int MAX_KEY_BYTES = 1024;
    private static final Pattern SCHEME = Pattern.compile("[a-z][a-z0-9]{0,15}");
    private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

    /**
     * @throws IllegalArgumentException naming the part, its value and the rule
     */
    public ObjectLocation {
        if (!SCHEME.matcher(scheme).matches()) {
            throw invalid("scheme", scheme, "is 1 to 16 lower-case letters and digits");
        }
        if (!BUCKET.matcher(bucket).matches() || bucket.contains("..")) {
            throw invalid("bucket", bucket, "is 1 to 63 letters, digits, '.', '_' and '-'");
        }
        checkKey(key);
    }

    /**
     * @param text such as {@code obs://bucket/training/code}
     * @throws IllegalArgumentException in one sentence for the user
     */
    public static ObjectLocation parse(String text) {
        int colon = text.indexOf("://");
        if (colon < 0) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not an object location: scheme://bucket/key is expected");
        }
        String rest = text.substring(colon + 3);
        int slash = rest.indexOf('/');
        return new ObjectLocation(
                text.substring(0, colon),
                slash < 0 ? rest : rest.substring(0, slash),
                slash < 0 ? "" : rest.substring(slash + 1));
    }

    /** The same place meant as a folder: its key ends with a slash, or is empty. */
    public ObjectLocation asFolder() {
        return key.isEmpty() || key.endsWith("/")
                ? this
                : new ObjectLocation(scheme, bucket, key + "/");
    }

    /** The same place meant as one object: a trailing slash is dropped. */
    public ObjectLocation asObject() {
        return key.endsWith("/")
                ? new ObjectLocation(scheme, bucket, key.substring(0, key.length() - 1))
                : this;
    }

    /** The object {@code relative} below this folder. */
    public ObjectLocation resolve(String relative) {
        return new ObjectLocation(scheme, bucket, asFolder().key + relative);
    }

    /** Last element of the path, a trailing slash ignored; the bucket if there is no key. */
    public String lastElement() {
        String path = asObject().key;
        return path.isEmpty() ? bucket : path.substring(path.lastIndexOf('/') + 1);
    }

    @Override
    public String toString() {
        return scheme + "://" + bucket + "/" + key;
    }

    /** Whether a file of this name can be an object at all. */
    static boolean isKey(String key) {
        try {
            checkKey(key);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static void checkKey(String key) {
        if (key.getBytes(StandardCharsets.UTF_8).length > MAX_KEY_BYTES) {
            throw invalid("key", key.substring(0, 64) + "…", "has at most 1024 bytes");
        }
        if (key.chars().anyMatch(c -> c < 0x20 || c == 0x7f)) {
            throw invalid("key", key.replaceAll("\\p{Cntrl}", "?"), "has no control characters");
        }
        String path = key.endsWith("/") ? key.substring(0, key.length() - 1) : key;
        if (key.isEmpty()) {
            return;
        }
        for (String segment : path.split("/", -1)) {
            if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
                throw invalid("key", key, "has no empty element, no '.' and no '..'");
            }
        }
    }

    private static IllegalArgumentException invalid(String part, String value, String rule) {
        return new IllegalArgumentException(
                "the " + part + " '" + value + "' of an object location is invalid: it " + rule);
    }
}
