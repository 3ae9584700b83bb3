/**
 * PostgreSQL: pool, writer connection with known outcomes, migrations, service directory, pools.
 */
@NullMarked
package dev.muster.platform.sql;

import org.jspecify.annotations.NullMarked;
