package dev.muster.storage;

import java.util.List;

/**
 * Part of a listing, in ascending order of the keys' UTF-8 bytes.
 *
 * @param complete whether nothing follows the last object of this page
 */
public record ObjectPage(List<ObjectInfo> objects, boolean complete) {

    public ObjectPage {
        objects = List.copyOf(objects);
    }
}
