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
}
