package dev.muster.storage;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * Objects by name, one at a time. Implementations block, may be shared by threads, and hold a
 * bounded amount of memory however large an object or a listing is.
 *
 * <p>All methods throw {@link ObjectStoreException} for failures of the store itself.
 */
public interface ObjectStore {

    /** Most objects that one {@link #list} returns. */
    int MAX_PAGE = 1000;

    /**
     * Objects whose key begins with the prefix's key.
     *
     * @param after only keys greater than this one; empty for the beginning
     * @param limit 1 to {@link #MAX_PAGE}
     */
    ObjectPage list(ObjectLocation prefix, String after, int limit) throws IOException;

    /** The object, or empty if there is none. */
    Optional<ObjectInfo> head(ObjectLocation object) throws IOException;

    /**
     * Reads from {@code offset} in bytes to the end; beyond the end the stream is empty. The caller
     * closes it.
     */
    InputStream read(ObjectLocation object, long offset) throws IOException;

    /**
     * Writes a whole object. It appears at once and complete, or, if {@code data} or the store
     * throws, not at all: what lay there before stays.
     *
     * @param size in bytes; a stream of another length is refused
     * @param data read to its end, not closed
     */
    ObjectInfo write(ObjectLocation object, InputStream data, long size) throws IOException;

    default boolean exists(ObjectLocation object) throws IOException {
        return head(object).isPresent();
    }

    /** All objects with the prefix, page by page, in order. */
    default void forEach(ObjectLocation prefix, ObjectVisitor visitor) throws IOException {
        String after = "";
        while (true) {
            ObjectPage page = list(prefix, after, MAX_PAGE);
            for (ObjectInfo object : page.objects()) {
                visitor.visit(object);
                after = object.location().key();
            }
            if (page.complete()) {
                return;
            }
        }
    }

    /** Receives the objects of a listing. */
    @FunctionalInterface
    interface ObjectVisitor {
        void visit(ObjectInfo object) throws IOException;
    }
}
