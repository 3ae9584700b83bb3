/**
 * The words of Muster: ids, job specifications, commands, reports, events and states. Pure Java.
 */
@NullMarked
package dev.muster.domain;

import org.jspecify.annotations.NullMarked;
