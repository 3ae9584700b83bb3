package dev.muster.storage;

import java.util.Map;
import java.util.TreeMap;

/** The configured stores by scheme. */
public final class ObjectStores {

    private final TreeMap<String, ObjectStore> byScheme;

    private ObjectStores(Map<String, ObjectStore> byScheme) {
        this.byScheme = new TreeMap<>(byScheme);
    }

    /**
     * @param byScheme such as {@code obs}, {@code bos}, {@code s3}; several may share a store
     */
    public static ObjectStores of(Map<String, ObjectStore> byScheme) {
        return new ObjectStores(byScheme);
    }

    /**
     * The store that serves a location.
     *
     * @throws ObjectStoreException (invalid) naming the schemes that are configured
     */
    public ObjectStore serving(ObjectLocation location) throws ObjectStoreException {
        ObjectStore store = byScheme.get(location.scheme());
        if (store == null) {
            throw new ObjectStoreException(
                    ObjectStoreException.Reason.INVALID,
                    location
                            + " cannot be reached: no store is configured for the scheme '"
                            + location.scheme()
                            + "', only for "
                            + byScheme.keySet());
        }
        return store;
    }
}
