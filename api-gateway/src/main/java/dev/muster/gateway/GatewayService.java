package dev.muster.gateway;

import static dev.muster.platform.config.PlatformSettings.API_TOKEN;

import dev.muster.platform.http.HttpEdge;
import dev.muster.platform.http.InternalClient;
import dev.muster.platform.run.Service;
import dev.muster.platform.run.ServiceContext;

import io.micrometer.core.instrument.Gauge;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/** The gateway: what users and programs talk to. All of it lives on one event loop. */
public final class GatewayService implements Service {

    private static final Logger LOG = LoggerFactory.getLogger(GatewayService.class);

    private @Nullable Context context;

    /** What is to be stopped, the last started first. */
    private final Deque<Supplier<Future<Void>>> stops = new ArrayDeque<>();

    private volatile int port;

    /** Made once per start. */
    public GatewayService() {}

    @Override
    public String role() {
        return "gateway";
    }

    /** The port in force, once started. */
    public int port() {
        return port;
    }

    @Override
    public Future<Void> start(ServiceContext service) {
        // an event loop of its own, whatever thread this is called from
        Context own = service.vertx().getOrCreateContext();
        context = own;
        Promise<Void> started = Promise.promise();
        own.runOnContext(_ ->
                service.database()
                        .migrate("gateway")
                        .compose(_ -> serve(service, own))
                        .onComplete(started));
        return started.future();
    }

    private Future<Void> serve(ServiceContext service, Context own) {
        StorageTrouble storage = new StorageTrouble(service.vertx(), service.database());
        AcceptMeters meters = new AcceptMeters(service.meters());
        Lanes lanes = new Lanes(service, own, storage, meters);
        stops.push(lanes::stop);
        JournalReader journal = new JournalReader(service.vertx(), service.database());
        Views views = new Views(service, journal);
        stops.push(views::stop);
        CommandOutcomes outcomes =
                new CommandOutcomes(
                        service.vertx(),
                        service.settings().get(GatewaySettings.COMMAND_WAIT_MILLIS));
        EventHub hub = new EventHub(service.vertx(), service.settings(), outcomes, views::offer);
        Gauge.builder("muster.gateway.subscribers", hub, EventHub::subscribers)
                .description("Open event streams")
                .register(service.meters());
        EventTap tap = new EventTap(service, own, hub::take);
        stops.push(tap::stop);
        Housekeeping housekeeping = new Housekeeping(service);
        stops.push(() -> {
            housekeeping.stop();
            return Future.succeededFuture();
        });
        return storage.learn()
                .compose(_ -> tap.start())
                .compose(_ -> lanes.start())
                .compose(_ -> listen(service, new Parts(lanes, meters, journal, hub, outcomes)));
    }

    private record Parts(
            Lanes lanes,
            AcceptMeters meters,
            JournalReader journal,
            EventHub hub,
            CommandOutcomes outcomes) {}

    private Future<Void> listen(ServiceContext service, Parts parts) {
        HttpEdge edge = new HttpEdge(service, service.settings().get(API_TOKEN));
        mount(service, parts, edge);
        stops.push(edge::close);
        stops.push(() -> {
            parts.hub().close();
            return Future.succeededFuture();
        });
        return edge.listen(service.settings().get(GatewaySettings.PORT))
                .compose(bound -> {
                    port = bound;
                    return register(service, bound);
                });
    }

    private void mount(ServiceContext service, Parts parts, HttpEdge edge) {
        JobViews jobs = new JobViews(service.database());
        Commands commands =
                new Commands(
                        parts.lanes(),
                        parts.outcomes(),
                        service.settings().get(GatewaySettings.ACCEPT_TIMEOUT_MILLIS));
        SubmitEndpoint submit =
                new SubmitEndpoint(
                        edge::permits,
                        parts.lanes(),
                        parts.meters(),
                        service.settings(),
                        service.clock());
        edge.hotPath(submit::take);
        JobHistory history = new JobHistory(parts.journal(), parts.hub());
        new JobEndpoints(jobs, history, commands).mount(edge.router(), edge.bodies());
        new RecoveryEndpoints(jobs, new Incidents(service.database()), commands)
                .mount(edge.router(), edge.bodies());
        new NodeEndpoints(service.database(), service.pools(), commands).mount(edge.router());
        EventsEndpoint events = new EventsEndpoint(service, parts.hub(), parts.journal(), jobs);
        edge.router().get("/api/v1/events").handler(events::handle);
        InternalClient client = new InternalClient(service.vertx(), service.settings());
        stops.push(client::close);
        new LogProxy(jobs, service.directory(), client).mount(edge.router());
        NotifierCalls notifier = new NotifierCalls(service.directory(), client);
        SubscriptionEndpoints subscriptions = new SubscriptionEndpoints(service, jobs, notifier);
        subscriptions.mount(edge.router(), edge.bodies());
        stops.push(subscriptions::stop);
        new DeliveryEndpoints(service.database(), notifier).mount(edge.router());
    }

    private Future<Void> register(ServiceContext service, int bound) {
        stops.push(() -> service.withdraw(role()));
        return service.register(role(), List.of(), bound);
    }

    @Override
    public Future<Void> stop() {
        Context own = context;
        if (own == null) {
            return Future.succeededFuture();
        }
        Promise<Void> stopped = Promise.promise();
        own.runOnContext(_ -> stopNext(stopped));
        return stopped.future();
    }

    private void stopNext(Promise<Void> stopped) {
        Supplier<Future<Void>> next = stops.poll();
        if (next == null) {
            stopped.complete();
            return;
        }
        next.get()
                .onComplete(done -> {
                    if (done.failed()) {
                        LOG.warn("a part did not stop: {}", done.cause().getMessage());
                    }
                    stopNext(stopped);
                });
    }
}
