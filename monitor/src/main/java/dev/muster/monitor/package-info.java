/** Detectors over signals and facts: hangs, causes of exits, progress. It decides nothing. */
@NullMarked
package dev.muster.monitor;

import org.jspecify.annotations.NullMarked;
