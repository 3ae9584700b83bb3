/** A pool's facts as a service folds them: snapshot, journal, then the event stream. */
@NullMarked
package dev.muster.platform.journal;

import org.jspecify.annotations.NullMarked;
