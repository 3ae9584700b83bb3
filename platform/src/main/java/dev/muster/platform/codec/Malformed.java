package dev.muster.platform.codec;

/** Bytes that are not what they are said to be. */
public final class Malformed extends RuntimeException {

    private static final long serialVersionUID = 1;

    public Malformed(String what, Throwable cause) {
        super(what + " is malformed", cause);
    }

    public Malformed(String what) {
        super(what + " is malformed");
    }

    private Malformed(String message, int found) {
        super(message + found, null, false, true);
    }

    /** Of a format that this version cannot know yet. */
    static Malformed later(String what, int found, int supported) {
        return new Malformed(
                what + ": this version reads formats up to " + supported + ", and it has format ",
                found);
    }
}
