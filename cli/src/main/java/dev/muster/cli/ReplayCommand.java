package dev.muster.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.muster.domain.PoolId;
import dev.muster.scheduler.JournalReplay;

import io.vertx.sqlclient.Row;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

@Command(
        name = "replay",
        description =
                "Fold a pool's journal in a core of its own, to its end or to an earlier seq; show"
                        + " the state there and hold it against the snapshots on the way and, at"
                        + " the end, against the leader. Exits 1 if anything differs.",
        mixinStandardHelpOptions = true)
final class ReplayCommand extends AdminCommand.OnDirectory {

    @Option(
            names = "--pool",
            paramLabel = "POOL",
            defaultValue = "public",
            description = "Whose journal (default: ${DEFAULT-VALUE}).")
    private String pool = "public";

    @Option(
            names = "--at",
            paramLabel = "SEQ",
            description = "Fold no further than this event (default: to the end).")
    private Optional<Long> at = Optional.empty();

    @Override
    int run(OpenDirectory open) {
        Map<Long, String> snapshots = snapshots(open);
        Map<Long, String> differing = new TreeMap<>();
        int[] compared = {0};
        JournalReplay.Result result;
        try {
            result =
                    new JournalReplay(open.database(), new PoolId(pool))
                            .runTo(
                                    at.orElse(Long.MAX_VALUE),
                                    (seq, hash) -> {
                                        String stored = snapshots.get(seq);
                                        if (stored != null) {
                                            compared[0]++;
                                            if (!stored.equals(hash.get())) {
                                                differing.put(seq, stored);
                                            }
                                        }
                                    });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitCodes.FAILED, "interrupted");
        }
        Optional<LeaderState.Seen> leader =
                at.isPresent() ? Optional.empty() : new LeaderState(open).of(new PoolId(pool));
        ObjectNode shown = shown(result);
        shown.put("snapshots_compared", compared[0]);
        ArrayNode wrong = shown.putArray("findings");
        result.findings().forEach(wrong::add);
        differing.forEach(
                (seq, hash) -> wrong.add("the snapshot of seq " + seq + " has the hash " + hash));
        // a leader that has gone on meanwhile is at another seq: that is no difference
        leader.filter(seen -> seen.seq() == result.seq())
                .map(seen -> seen.differences(result))
                .orElse(List.of())
                .forEach(wrong::add);
        shown.put("leader_seq", leader.map(LeaderState.Seen::seq).orElse(-1L));
        print(shown, table(shown));
        return wrong.isEmpty() ? ExitCodes.OK : ExitCodes.FAILED;
    }

    private Map<Long, String> snapshots(OpenDirectory open) {
        Map<Long, String> found = new HashMap<>();
        String sql =
                "SELECT seq, encode(state_hash, 'hex') AS hash FROM scheduler.pub_snapshot WHERE"
                        + " pool = $1";
        for (Row row : open.rows(sql, pool)) {
            found.put(row.getLong("seq"), row.getString("hash"));
        }
        return found;
    }

    private ObjectNode shown(JournalReplay.Result result) {
        ObjectNode shown = JsonNodeFactory.instance.objectNode();
        shown.put("pool", pool)
                .put("seq", result.seq())
                .put("rows", result.rows())
                .put("state_hash", result.stateHash());
        ObjectNode jobs = shown.putObject("jobs");
        new TreeMap<>(result.jobsByState()).forEach((state, n) -> jobs.put(state.name(), n));
        ObjectNode positions = shown.putObject("positions");
        new TreeMap<>(result.positions()).forEach(positions::put);
        return shown;
    }

    private static Table table(ObjectNode shown) {
        Table table = new Table("WHAT", "VALUE");
        shown.properties()
                .forEach(each -> table.row(each.getKey(), plain(each.getValue().toString())));
        return table;
    }

    private static String plain(String json) {
        return json.replace("\"", "");
    }
}
