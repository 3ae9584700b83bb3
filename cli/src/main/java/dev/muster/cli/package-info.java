/** The muster command: client commands, all services in one process, one service as a process. */
@NullMarked
package dev.muster.cli;

import org.jspecify.annotations.NullMarked;
