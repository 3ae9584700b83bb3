/** Classes that break the rules, to try the rules on. */
@NullMarked
package dev.muster.agent.planted;

import org.jspecify.annotations.NullMarked;
