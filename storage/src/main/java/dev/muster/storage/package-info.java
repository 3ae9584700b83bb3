/** The object store port and its clients. */
@NullMarked
package dev.muster.storage;

import org.jspecify.annotations.NullMarked;
