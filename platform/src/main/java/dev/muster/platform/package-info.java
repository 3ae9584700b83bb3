/**
 * What every service shares: configuration, record loop, lanes, database pools, codec, health,
 * metrics.
 */
@NullMarked
package dev.muster.platform;

import org.jspecify.annotations.NullMarked;
