/** How the words of the domain are written and read: one codec for every service. */
@NullMarked
package dev.muster.platform.codec;

import org.jspecify.annotations.NullMarked;
