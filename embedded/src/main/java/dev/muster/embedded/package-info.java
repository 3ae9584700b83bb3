/**
 * Launchers of a real PostgreSQL and a real Kafka on this machine, as durable as those of a
 * cluster.
 */
@NullMarked
package dev.muster.embedded;

import org.jspecify.annotations.NullMarked;
