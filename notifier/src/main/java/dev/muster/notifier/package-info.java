/** Webhooks of job events: what is to be sent, to whom, in which order, until it has arrived. */
@NullMarked
package dev.muster.notifier;

import org.jspecify.annotations.NullMarked;
