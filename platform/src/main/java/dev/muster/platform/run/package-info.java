/** How services run: context, order of start and stop, failpoints. */
@NullMarked
package dev.muster.platform.run;

import org.jspecify.annotations.NullMarked;
