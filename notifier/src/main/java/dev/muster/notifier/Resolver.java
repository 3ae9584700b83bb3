package dev.muster.notifier;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.net.SocketAddress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * From a host's name to the address that is connected to: looked up here, checked by the guard, and
 * connected to as it was checked, so that no second look-up can lead elsewhere. On one context.
 */
final class Resolver {

    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int MAX_NAMES = 10_000;

    /** A name server that does not answer holds a thread for long: not one that others need. */
    private static final int THREADS = 8;

    /** Names asked for at once, most of them waiting for a thread. */
    private static final int MAX_ASKED = 1_000;

    /** A target that may not be reached, or whose name leads nowhere. */
    static final class Unreachable extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unreachable(String message) {
            super(message, null, false, false);
        }
    }

    private record Found(Future<List<byte[]>> addresses, long atNanos) {}

    private final WorkerExecutor workers;
    private final AddressGuard guard;
    private final Map<String, Found> names = new HashMap<>();
    private int asking;

    Resolver(Vertx vertx, AddressGuard guard) {
        this.workers = vertx.createSharedWorkerExecutor("notifier-dns", THREADS);
        this.guard = guard;
    }

    /** Fails with {@link Unreachable}. */
    Future<SocketAddress> address(Endpoint endpoint) {
        byte[] literal = Addresses.literal(endpoint.host());
        Future<List<byte[]>> addresses =
                literal == null
                        ? lookUp(endpoint.host())
                        : Future.succeededFuture(List.of(literal));
        return addresses.map(all -> first(all, endpoint));
    }

    private SocketAddress first(List<byte[]> addresses, Endpoint endpoint) {
        String why = endpoint.host() + " has no address";
        for (byte[] each : addresses) {
            Optional<String> problem = guard.problem(each, endpoint.tls());
            if (problem.isEmpty()) {
                return SocketAddress.inetSocketAddress(endpoint.port(), Addresses.shown(each));
            }
            why = "the address " + problem.get();
        }
        throw new Unreachable(why);
    }

    private Future<List<byte[]>> lookUp(String host) {
        long now = System.nanoTime();
        Found known = names.get(host);
        if (known != null && (!known.addresses.isComplete() || now - known.atNanos < KEPT_NANOS)) {
            return known.addresses;
        }
        if (asking >= MAX_ASKED) {
            return Future.failedFuture(
                    new Unreachable(host + " is not looked up: too many names wait for it"));
        }
        if (names.size() >= MAX_NAMES) {
            names.clear();
        }
        asking++;
        Future<List<byte[]>> asked =
                workers.executeBlocking(() -> ask(host), false).onComplete(_ -> asking--);
        names.put(host, new Found(asked, now));
        return asked;
    }

    private static List<byte[]> ask(String host) {
        try {
            List<byte[]> addresses = new ArrayList<>();
            for (InetAddress each : InetAddress.getAllByName(host)) {
                addresses.add(Addresses.plain(each.getAddress()));
            }
            return addresses;
        } catch (UnknownHostException _) {
            throw new Unreachable(host + " is not known to the name servers");
        }
    }

    Future<Void> close() {
        return workers.close();
    }
}
