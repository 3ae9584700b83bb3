/** Secrets at rest. */
@NullMarked
package dev.muster.platform.secret;

import org.jspecify.annotations.NullMarked;
