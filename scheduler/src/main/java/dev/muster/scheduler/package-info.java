/** The service around the core: journal, leadership, follower, snapshots. */
@NullMarked
package dev.muster.scheduler;

import org.jspecify.annotations.NullMarked;
