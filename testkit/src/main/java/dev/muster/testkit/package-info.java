/** Real servers for tests, and the tools to wait on them. */
@NullMarked
package dev.muster.testkit;

import org.jspecify.annotations.NullMarked;
