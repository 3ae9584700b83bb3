/** What commands and reports lead to, one job at a time; the gangs' places are the cycle's. */
@NullMarked
package dev.muster.core.life;

import org.jspecify.annotations.NullMarked;
