/** Typed settings: declared in code, layered from defaults, file, environment and overrides. */
@NullMarked
package dev.muster.platform.config;

import org.jspecify.annotations.NullMarked;
