/** The service that users talk to: REST, event streams, the read model. */
@NullMarked
package dev.muster.gateway;

import org.jspecify.annotations.NullMarked;
