package dev.muster.domain;

/** The rule that every name of a thing obeys: short, printable, safe in headers, paths and URLs. */
final class Names {

    private Names() {}

    static void require(String kind, String value, int maxLength) {
        if (value.isEmpty() || value.length() > maxLength) {
            throw new IllegalArgumentException(
                    "a "
                            + kind
                            + " name has 1 to "
                            + maxLength
                            + " characters, not "
                            + value.length());
        }
        for (int i = 0; i < value.length(); i++) {
            if (!allowed(value.charAt(i))) {
                throw new IllegalArgumentException(
                        "a " + kind + " name consists of letters, digits and . _ - /");
            }
        }
    }

    private static boolean allowed(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '.'
                || c == '_'
                || c == '-'
                || c == '/';
    }
}
