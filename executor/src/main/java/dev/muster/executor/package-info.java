/** The service that turns grants into running instances. */
@NullMarked
package dev.muster.executor;

import org.jspecify.annotations.NullMarked;
