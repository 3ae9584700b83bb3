package dev.muster.gateway;

import dev.muster.domain.Command;
import dev.muster.domain.Failure;
import dev.muster.domain.NodeId;
import dev.muster.domain.PoolId;
import dev.muster.domain.Violation;
import dev.muster.platform.http.FailureException;
import dev.muster.platform.sql.Database;
import dev.muster.platform.sql.Pools;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Nodes and pools as users see them, and the cordoning of nodes. */
final class NodeEndpoints {

    private static final String USED =
            """
            SELECT g.pool, node, sum(v.accelerators)::bigint AS used, count(*)::int AS instances
            FROM gateway.grant_view g JOIN gateway.job_view v USING (job),
                unnest(g.nodes) AS node
            GROUP BY g.pool, node\
            """;

    private final Database database;
    private final Pools pools;
    private final Commands commands;

    NodeEndpoints(Database database, Pools pools, Commands commands) {
        this.database = database;
        this.pools = pools;
        this.commands = commands;
    }

    void mount(Router router) {
        router.get("/api/v1/nodes").handler(this::list);
        router.get("/api/v1/pools").handler(this::listPools);
        router.post("/api/v1/nodes/:node/cordon")
                .handler(rc -> order(rc, node -> id -> new Command.CordonNode(id, node, "api")));
        router.post("/api/v1/nodes/:node/uncordon")
                .handler(rc -> order(rc, node -> id -> new Command.UncordonNode(id, node, "api")));
    }

    private void list(RoutingContext rc) {
        Query query = Query.of(rc.request(), "pool");
        PoolId pool = query.value("pool", PoolId::new, "a pool's name");
        query.check();
        nodes().onSuccess(nodes ->
                        Answers.json(rc, 200, items(nodes, pool == null ? "" : pool.value())))
                .onFailure(rc::fail);
    }

    private static JsonObject items(List<JsonObject> nodes, String pool) {
        JsonArray items = new JsonArray();
        nodes.stream()
                .filter(node -> pool.isEmpty() || pool.equals(node.getString("pool")))
                .forEach(items::add);
        return new JsonObject().put("items", items);
    }

    private Future<List<JsonObject>> nodes() {
        Future<RowSet<Row>> used = database.query(USED);
        return database.query("SELECT * FROM gateway.node_view ORDER BY pool, node")
                .compose(nodes -> used.map(uses -> joined(nodes, uses)));
    }

    private static List<JsonObject> joined(RowSet<Row> nodes, RowSet<Row> uses) {
        Map<String, Row> useOf = new HashMap<>();
        for (Row row : uses) {
            useOf.put(row.getString("pool") + ' ' + row.getString("node"), row);
        }
        List<JsonObject> all = new ArrayList<>();
        for (Row row : nodes) {
            Row use = useOf.get(row.getString("pool") + ' ' + row.getString("node"));
            all.add(
                    new JsonObject()
                            .put("id", row.getString("node"))
                            .put("pool", row.getString("pool"))
                            .put("ready", row.getBoolean("ready"))
                            .put("cordoned", row.getBoolean("cordoned"))
                            .put("accelerator", row.getString("accelerator"))
                            .put("devices", row.getInteger("devices"))
                            .put("usedDevices", use == null ? 0 : devices(use.getLong("used")))
                            .put("instances", use == null ? 0 : use.getInteger("instances"))
                            .put("cpuMillis", row.getInteger("cpu_millis"))
                            .put("memoryMebibytes", row.getInteger("memory_mebibytes"))
                            .put("supernode", row.getString("supernode")));
        }
        return all;
    }

    /** A whole number where it is one. */
    private static Number devices(long thousandths) {
        if (thousandths % 1000 == 0) {
            return thousandths / 1000;
        }
        return thousandths / 1000.0;
    }

    private void listPools(RoutingContext rc) {
        nodes().onSuccess(nodes -> Answers.json(rc, 200, pools(nodes))).onFailure(rc::fail);
    }

    private JsonObject pools(List<JsonObject> nodes) {
        JsonArray items = new JsonArray();
        pools.all()
                .forEach((pool, partition) -> {
                    List<JsonObject> own =
                            nodes.stream()
                                    .filter(n -> pool.value().equals(n.getString("pool")))
                                    .toList();
                    items.add(pool(pool, partition, own));
                });
        return new JsonObject().put("items", items);
    }

    private static JsonObject pool(PoolId pool, int partition, List<JsonObject> nodes) {
        return new JsonObject()
                .put("id", pool.value())
                .put("partition", partition)
                .put("nodes", nodes.size())
                .put("readyNodes", count(nodes, n -> n.getBoolean("ready")))
                .put("cordonedNodes", count(nodes, n -> n.getBoolean("cordoned")))
                .put("devices", nodes.stream().mapToInt(n -> n.getInteger("devices")).sum())
                .put(
                        "usedDevices",
                        nodes.stream().mapToDouble(n -> n.getDouble("usedDevices")).sum());
    }

    private static long count(List<JsonObject> nodes, Function<JsonObject, Boolean> which) {
        return nodes.stream().filter(which::apply).count();
    }

    private void order(RoutingContext rc, Function<NodeId, Function<String, Command>> order) {
        NodeId node = node(rc);
        pool(node)
                .compose(pool -> commands.send(pool, order.apply(node)))
                .onSuccess(outcome -> ordered(rc, node, outcome))
                .onFailure(rc::fail);
    }

    private static NodeId node(RoutingContext rc) {
        String text = rc.pathParam("node");
        try {
            return new NodeId(text);
        } catch (IllegalArgumentException e) {
            throw notFound(Violation.of("", text, "", "").value());
        }
    }

    private Future<PoolId> pool(NodeId node) {
        return database.query(
                        "SELECT pool FROM gateway.node_view WHERE node = $1",
                        Tuple.of(node.value()))
                .map(rows -> {
                    for (Row row : rows) {
                        return new PoolId(row.getString("pool"));
                    }
                    throw notFound(node.value());
                });
    }

    private static FailureException notFound(String node) {
        return new FailureException(new Failure.NotFound("There is no node " + node + "."));
    }

    private static void ordered(RoutingContext rc, NodeId node, Commands.Outcome outcome) {
        Answers.json(
                rc,
                outcome.fact().isEmpty() ? 202 : 200,
                new JsonObject().put("id", node.value()).put("commandId", outcome.commandId()));
    }
}
