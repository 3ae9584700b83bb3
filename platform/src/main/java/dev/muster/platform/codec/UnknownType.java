package dev.muster.platform.codec;

/** A type that this version does not know stands where every type must be known. */
public final class UnknownType extends RuntimeException {

    private static final long serialVersionUID = 1;

    public UnknownType(String type) {
        super("this version does not know the type " + type + "; a newer one wrote it");
    }
}
