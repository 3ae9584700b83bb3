/** Records in and out: topics, headers, the record loop, the producer and the lanes. */
@NullMarked
package dev.muster.platform.kafka;

import org.jspecify.annotations.NullMarked;
