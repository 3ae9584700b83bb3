package dev.muster.notifier;

/**
 * What came of one request.
 *
 * @param status of the answer, 0 for none
 * @param error in words, empty when it arrived; never holds a secret
 * @param askedMillis pause that the target asked for, 0 for none
 */
record Attempt(Kind kind, int status, String error, long askedMillis) {

    /** How the target and the delivery stand after it. */
    enum Kind {
        ARRIVED,
        /** The target does not work: its circuit counts it. */
        FAILED,
        /** The target works, but did not take this one. */
        NOT_TAKEN,
        /** The target wants no more of it: no further attempt. */
        UNWANTED
    }

    private static final int GONE = 410;
    private static final int TOO_MANY = 429;
    private static final int MAX_ERROR = 300;

    static Attempt failed(String error) {
        return new Attempt(Kind.FAILED, 0, shortened(error), 0);
    }

    static Attempt answered(int status, long askedMillis) {
        if (status / 100 == 2) {
            return new Attempt(Kind.ARRIVED, status, "", 0);
        }
        Kind kind = Kind.NOT_TAKEN;
        if (status == GONE) {
            kind = Kind.UNWANTED;
        } else if (status / 100 == 5 || status == TOO_MANY) {
            kind = Kind.FAILED;
        }
        String error =
                status / 100 == 3
                        ? "answered with " + status + ": redirects are not followed"
                        : "answered with " + status;
        return new Attempt(kind, status, error, askedMillis);
    }

    private static String shortened(String error) {
        String plain = error.replaceAll("\\p{Cntrl}", " ");
        return plain.length() > MAX_ERROR ? plain.substring(0, MAX_ERROR) + "…" : plain;
    }
}
