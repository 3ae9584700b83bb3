/** Benchmarks: load generators, microbenchmarks, comparisons. */
@NullMarked
package dev.muster.bench;

import org.jspecify.annotations.NullMarked;
