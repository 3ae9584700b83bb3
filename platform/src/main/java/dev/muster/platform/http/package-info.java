/**
 * The edge: servers with health, metrics, authentication and one mapper of failures; the internal
 * client.
 */
@NullMarked
package dev.muster.platform.http;

import org.jspecify.annotations.NullMarked;
