package dev.muster.storage;

import java.time.Instant;

/**
 * What a store knows about one object.
 *
 * @param size in bytes
 * @param etag opaque; another one whenever the object was replaced
 */
public record ObjectInfo(ObjectLocation location, long size, Instant lastModified, String etag) {}
