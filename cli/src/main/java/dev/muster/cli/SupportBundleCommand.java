package dev.muster.cli;

import dev.muster.platform.config.Declarations;
import dev.muster.platform.config.Setting;

import io.vertx.core.json.JsonArray;
import io.vertx.sqlclient.Row;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

@Command(
        name = "support-bundle",
        description =
                "Write into one file what somebody needs to find out what is wrong: the doctor's"
                    + " findings, settings, versions, lanes, leases, sizes of tables, last logs,"
                    + " threads and metrics. No secrets, nothing of jobs but numbers.",
        mixinStandardHelpOptions = true)
final class SupportBundleCommand implements Callable<Integer> {

    private static final int LOG_BYTES = 256 * 1024;

    private static final String TABLES =
            """
            SELECT s.schemaname || '.' || s.relname AS table, pg_total_relation_size(s.relid) AS bytes,
                s.n_live_tup AS rows, s.n_dead_tup AS dead_rows, s.last_autovacuum
            FROM pg_stat_user_tables s ORDER BY 2 DESC\
            """;

    private static final Map<String, String> QUESTIONS =
            Map.of(
                    "tables.json", TABLES,
                    "lanes.json", DoctorLags.LANES,
                    "leases.json", AdminCommand.Epoch.SQL,
                    "services.json",
                            "SELECT id, role, pools, url, beat_at, live FROM platform.pub_service",
                    "jobs.json",
                            "SELECT pool, state, archived, count(*) AS jobs FROM gateway.pub_job"
                                    + " GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
                    "deliveries.json",
                            "SELECT pool, count(*) AS mailboxes_that_wait, min(born_ms) AS"
                                    + " oldest_ms FROM notifier.pub_waiting GROUP BY 1",
                    "postgres.json",
                            // texts may hold commands and passwords of the operator's
                            "SELECT name, setting, source FROM pg_settings WHERE source NOT IN"
                                    + " ('default', 'override') AND vartype <> 'string' ORDER BY 1",
                    "activity.json",
                            "SELECT pid, state, wait_event_type, wait_event, backend_start,"
                                    + " query_start FROM pg_stat_activity WHERE datname ="
                                    + " current_database() ORDER BY 1",
                    "snapshots.json",
                            "SELECT pool, seq, octet_length(body) AS bytes, code_version, at FROM"
                                    + " scheduler.pub_snapshot ORDER BY 1, 2");

    @Parameters(
            paramLabel = "FILE.tar.gz",
            arity = "0..1",
            description = "The file to make (default: muster-support-TIME.tar.gz).")
    private Optional<Path> target = Optional.empty();

    @Mixin private ServerOptions options = new ServerOptions();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        Path file = target.orElseGet(SupportBundleCommand::named).toAbsolutePath();
        if (Files.exists(file)) {
            throw new CommandFailure(ExitCodes.USAGE, file + " exists");
        }
        try (OpenDirectory open = OpenDirectory.of(options);
                BackupArchive.Writer archive = new BackupArchive.Writer(file)) {
            Redaction redaction = Redaction.of(open.settings());
            collect(open)
                    .forEach((name, text) -> {
                        try {
                            archive.put("muster-support/" + name, redaction.of(text));
                        } catch (IOException e) {
                            throw new java.io.UncheckedIOException(e);
                        }
                    });
        } catch (IOException | java.io.UncheckedIOException e) {
            throw new CommandFailure(ExitCodes.FAILED, file + " cannot be written: " + e);
        }
        spec.commandLine().getOut().println(file);
        spec.commandLine().getOut().flush();
        return ExitCodes.OK;
    }

    private static Path named() {
        return Path.of("muster-support-" + BackupArchive.stamp() + ".tar.gz");
    }

    private static Map<String, String> collect(OpenDirectory open) {
        Map<String, String> texts = new TreeMap<>();
        List<Finding> findings = new Doctor(open).examine();
        texts.put(
                "doctor.txt",
                findings.stream().map(Finding::line).collect(Collectors.joining("\n", "", "\n")));
        texts.put("doctor.json", DoctorCommand.json(findings).toString());
        texts.put("settings.txt", settings(open));
        texts.put("versions.txt", versions(open));
        QUESTIONS.forEach((name, sql) -> texts.put(name, answered(open, sql)));
        lastOf(open.directory().path().resolve("postgres"))
                .forEach((name, text) -> texts.put("logs/" + name, text));
        services(open, texts);
        return texts;
    }

    /** A question that cannot be answered is no reason to know nothing at all. */
    private static String answered(OpenDirectory open, String sql) {
        try {
            JsonArray items = new JsonArray();
            for (Row row : open.rows(sql)) {
                items.add(row.toJson());
            }
            return items.encodePrettily();
        } catch (CommandFailure e) {
            return "not known: " + e.getMessage();
        }
    }

    /** Every setting that is not at its default; of secrets only that they are set. */
    private static String settings(OpenDirectory open) {
        StringBuilder text = new StringBuilder();
        for (Setting<?> each : Declarations.allSettings()) {
            String value = String.valueOf(open.settings().get(each));
            if (!value.equals(String.valueOf(each.defaultValue()))) {
                text.append(each.name()).append(" = ");
                text.append(each.isSecret() ? "(set)" : value).append('\n');
            }
        }
        open.settings().remarks().forEach(each -> text.append("# ").append(each).append('\n'));
        return text.toString();
    }

    private static String versions(OpenDirectory open) {
        StringBuilder text = new StringBuilder();
        text.append(Main.VERSION).append("\ndata directory format ");
        text.append(DataDirectory.line(open.directory().path().resolve("format")).orElse("-"));
        text.append("\nJDK ").append(Runtime.version()).append("\nOS ");
        text.append(System.getProperty("os.name")).append(' ');
        text.append(System.getProperty("os.version")).append(' ');
        text.append(System.getProperty("os.arch")).append("\nprocessors ");
        text.append(Runtime.getRuntime().availableProcessors()).append('\n');
        for (Row row : open.rows("SELECT version() AS v")) {
            text.append(row.getString("v")).append('\n');
        }
        for (String schema : TableCopy.SCHEMAS) {
            if (open.has(schema)) {
                for (Row row : open.rows(TableCopy.version(schema))) {
                    text.append("schema ").append(schema).append(' ');
                    text.append(row.getString("version")).append('\n');
                }
            }
        }
        return text.toString();
    }

    private static void services(OpenDirectory open, Map<String, String> texts) {
        if (!open.has("platform")) {
            return;
        }
        try (ServiceProbe probe = new ServiceProbe(open)) {
            for (ServiceProbe.Entry each : probe.entries()) {
                if (!each.live()) {
                    continue;
                }
                String folder = "services/" + each.id().replace('/', '-') + "/";
                probe.metrics(each).ifPresent(text -> texts.put(folder + "metrics.txt", text));
                for (String what : List.of("threads", "log")) {
                    probe.diagnostics(each, what)
                            .ifPresent(text -> texts.put(folder + what + ".txt", text));
                }
            }
        }
    }

    /** The ends of the log files of a folder. */
    private static Map<String, String> lastOf(Path folder) {
        Map<String, String> ends = new TreeMap<>();
        try (var files = Files.walk(folder, 2)) {
            for (Path each : files.filter(file -> file.toString().endsWith(".log")).toList()) {
                ends.put(each.getFileName().toString(), end(each));
            }
        } catch (IOException | java.io.UncheckedIOException e) {
            ends.put("missing.txt", "the logs of PostgreSQL cannot be read: " + e.getMessage());
        }
        return ends;
    }

    private static String end(Path log) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            byte[] bytes = new byte[(int) Math.min(LOG_BYTES, file.length())];
            file.seek(file.length() - bytes.length);
            file.readFully(bytes);
            // a key or value of a row that was refused could be anybody's
            return Arrays.stream(new String(bytes, StandardCharsets.UTF_8).split("\n"))
                    .filter(line -> !line.contains("DETAIL:") && !line.contains("STATEMENT:"))
                    .filter(line -> !line.contains("CONTEXT:") && !line.startsWith("\t"))
                    .collect(Collectors.joining("\n", "", "\n"));
        }
    }
}
