package dev.muster.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.muster.domain.PoolId;
import dev.muster.scheduler.PoolFence;

import io.vertx.sqlclient.Row;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;

@Command(
        name = "admin",
        description = "Look inside, and intervene: for who runs Muster.",
        mixinStandardHelpOptions = true,
        subcommands = {
            AdminCommand.Lanes.class,
            AdminCommand.Epoch.class,
            AdminCommand.DeadLetters.class,
            ReplayCommand.class
        })
final class AdminCommand {

    /** A command on the database of a Muster that runs or does not. */
    abstract static class OnDirectory implements Callable<Integer> {

        @Mixin private ServerOptions options = new ServerOptions();

        @Mixin private OutputOption output = new OutputOption();

        @Spec private CommandSpec spec = CommandSpec.create();

        @Override
        public final Integer call() {
            try (OpenDirectory open = OpenDirectory.of(options)) {
                return run(open);
            }
        }

        abstract int run(OpenDirectory open);

        void print(JsonNode document, Table table) {
            output.print(spec.commandLine().getOut(), document, table::toString);
        }

        /** Rows as a document, and as a table of the same columns. */
        void print(Iterable<Row> rows, String... columns) {
            String[] header = new String[columns.length];
            for (int i = 0; i < columns.length; i++) {
                header[i] = columns[i].toUpperCase(java.util.Locale.ROOT).replace('_', ' ');
            }
            Table table = new Table(header);
            ArrayNode items = JsonNodeFactory.instance.arrayNode();
            for (Row row : rows) {
                ObjectNode item = items.addObject();
                String[] cells = new String[columns.length];
                for (int i = 0; i < columns.length; i++) {
                    Object value = row.getValue(columns[i]);
                    cells[i] = value == null ? "-" : value.toString();
                    if (value instanceof Number number) {
                        item.put(columns[i], number.longValue());
                    } else {
                        item.put(columns[i], value == null ? null : value.toString());
                    }
                }
                table.row(cells);
            }
            print(JsonNodeFactory.instance.objectNode().set("items", items), table);
        }
    }

    @Command(
            name = "lanes",
            description =
                    "Every producer's numbered stream: its epoch, the last number that it gave, how"
                            + " far each pool's journal has taken it, and the pool's leader.",
            mixinStandardHelpOptions = true)
    static final class Lanes extends OnDirectory {

        private static final String SQL =
                """
                SELECT COALESCE(l.lane, p.lane) AS lane, COALESCE(p.pool, '-') AS pool, l.epoch,
                    l.n AS head, p.n AS journalled, l.n - COALESCE(p.n, 0) AS lag, p.holder AS taken_by
                FROM gateway.pub_lane l FULL JOIN (
                    SELECT h.pool, h.holder, e.key AS lane, e.value::bigint AS n
                    FROM scheduler.pub_pool_head h, jsonb_each_text(h.positions) e) p USING (lane)
                ORDER BY 1, 2\
                """;

        @Override
        int run(OpenDirectory open) {
            print(open.rows(SQL), "lane", "pool", "epoch", "head", "journalled", "lag", "taken_by");
            return ExitCodes.OK;
        }
    }

    @Command(
            name = "epoch",
            description =
                    "Who leads each pool, and who holds its shards, with epochs and leases. With"
                            + " --bump: shut a pool's leader out, so that another one takes over.",
            mixinStandardHelpOptions = true)
    static final class Epoch extends OnDirectory {

        /** Who leads and holds what, with epochs and leases. */
        static final String SQL =
                """
                SELECT 'scheduler' AS role, pool, NULL::int AS shard, epoch, holder, lease_until,
                    lease_until > clock_timestamp() AS live FROM scheduler.pub_pool_head
                UNION ALL SELECT 'executor', pool, shard, epoch, holder, lease_until, live
                FROM executor.pub_shard
                UNION ALL SELECT 'monitor', pool, shard, epoch, holder, lease_until, live
                FROM monitor.pub_lease
                ORDER BY 2, 1 DESC, 3\
                """;

        @Option(names = "--pool", paramLabel = "POOL", description = "The pool of --bump.")
        private Optional<String> pool = Optional.empty();

        @Option(names = "--bump", description = "Raise the epoch of the pool's leader.")
        private boolean bump;

        @Option(names = "--yes", description = "Really do it.")
        private boolean yes;

        @Override
        int run(OpenDirectory open) {
            if (bump) {
                bump(open);
            }
            print(
                    open.rows(SQL),
                    "role",
                    "pool",
                    "shard",
                    "epoch",
                    "holder",
                    "lease_until",
                    "live");
            return ExitCodes.OK;
        }

        private void bump(OpenDirectory open) {
            String wanted =
                    pool.orElseThrow(() ->
                            new CommandFailure(
                                    ExitCodes.USAGE, "--bump needs the pool: --pool POOL"));
            if (!yes) {
                throw new CommandFailure(
                        ExitCodes.USAGE,
                        "this shuts the leader of pool "
                                + wanted
                                + " out: what it has not journalled it decides anew under the next"
                                + " epoch. Nothing is lost by it. Say --yes to do it");
            }
            OptionalLong epoch =
                    OpenDirectory.await(PoolFence.raise(open.database(), new PoolId(wanted)));
            if (epoch.isEmpty()) {
                throw new CommandFailure(ExitCodes.FAILED, "there is no pool " + wanted, true);
            }
        }
    }

    @Command(
            name = "dead-letters",
            description =
                    "Deliveries that were given up (tried again by `muster deliveries retry ID`),"
                            + " and jobs whose records could not be read or published.",
            mixinStandardHelpOptions = true)
    static final class DeadLetters extends OnDirectory {

        private static final String SQL =
                """
                SELECT * FROM (
                    SELECT 'delivery' AS kind, d.pool || '-' || d.seq || '-' || d.subscription AS id,
                        d.type AS what, d.ended_ms AS at_ms, d.error AS why
                    FROM notifier.pub_dead_letter d
                    UNION ALL
                    SELECT 'record', job::text, name, ended_at_ms, message FROM gateway.pub_job
                    WHERE cause = 'UNPUBLISHABLE') AS letters
                ORDER BY at_ms DESC LIMIT $1\
                """;

        @Option(
                names = "--limit",
                paramLabel = "N",
                defaultValue = "100",
                description = "At most so many, the latest first (default: ${DEFAULT-VALUE}).")
        private int limit = 100;

        @Override
        int run(OpenDirectory open) {
            print(open.rows(SQL, limit), "kind", "id", "what", "at_ms", "why");
            return ExitCodes.OK;
        }
    }
}
