/** Launchers of a real PostgreSQL and a real Kafka in a data directory of this machine. */
@NullMarked
package dev.muster.embedded;

import org.jspecify.annotations.NullMarked;
