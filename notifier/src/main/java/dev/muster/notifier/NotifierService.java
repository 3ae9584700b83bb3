package dev.muster.notifier;

import static dev.muster.platform.config.PlatformSettings.SERVICE_TOKEN;

import dev.muster.platform.config.Settings;
import dev.muster.platform.http.HttpEdge;
import dev.muster.platform.run.Service;
import dev.muster.platform.run.ServiceContext;
import dev.muster.platform.secret.SecretBox;
import dev.muster.platform.sql.Writer;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The notifier: webhooks of job events. All of it lives on one event loop. */
public final class NotifierService implements Service {

    private static final Logger LOG = LoggerFactory.getLogger(NotifierService.class);
    private static final long TICK_MILLIS = 10;
    private static final long LOOK_MILLIS = 200;
    private static final long WIND_UP_MILLIS = 3_000;

    private @Nullable Context context;

    /** What is to be stopped, the last started first. */
    private final Deque<Supplier<Future<Void>>> stops = new ArrayDeque<>();

    /** Made once per start. */
    public NotifierService() {}

    @Override
    public String role() {
        return "notifier";
    }

    @Override
    public Future<Void> start(ServiceContext service) {
        // an event loop of its own, whatever thread this is called from
        Context own = service.vertx().getOrCreateContext();
        context = own;
        Promise<Void> started = Promise.promise();
        own.runOnContext(_ ->
                service.database()
                        .migrate("notifier")
                        .compose(_ -> serve(service, own))
                        .onComplete(started));
        return started.future();
    }

    private Future<Void> serve(ServiceContext service, Context own) {
        Settings settings = service.settings();
        Vertx vertx = service.vertx();
        Meters meters = new Meters(service.meters());
        Writer writer = service.database().writer("deliveries");
        stops.push(writer::close);
        MailboxStore store =
                new MailboxStore(
                        writer, service.serviceId(), settings.get(NotifierSettings.LEASE_MILLIS));
        Results results = new Results(store);
        Sender sender = new Sender(vertx, settings, guard(settings), service.clock());
        stops.push(sender::close);
        Dispatcher dispatcher = new Dispatcher(settings, sender, results, meters, service.clock());
        Subscriptions subscriptions = new Subscriptions(service.database(), SecretBox.of(settings));
        Mailboxes mailboxes =
                new Mailboxes(settings, store, subscriptions, dispatcher, service.clock());
        subscriptions.listen(mailboxes::changed);
        gauges(meters, dispatcher, subscriptions, mailboxes);
        JournalReader journal = new JournalReader(vertx, service.database());
        PoolFeed.Parts parts =
                new PoolFeed.Parts(
                        vertx,
                        settings,
                        subscriptions,
                        mailboxes,
                        journal,
                        meters,
                        service.clock());
        stops.push(() -> windUp(vertx, dispatcher, results).compose(_ -> mailboxes.close()));
        return store.giveUpFormer()
                .compose(_ -> {
                    Feeds feeds = new Feeds(service, parts, writer);
                    EventTap tap = new EventTap(service, own, feeds::offer);
                    tap.start();
                    Cleanup cleanup = new Cleanup(service, meters);
                    List<Long> timers =
                            timers(
                                    vertx,
                                    settings,
                                    new Works(dispatcher, results, mailboxes, feeds));
                    stops.push(() -> {
                        timers.forEach(vertx::cancelTimer);
                        cleanup.stop();
                        return Future.succeededFuture();
                    });
                    stops.push(feeds::stop);
                    stops.push(tap::stop);
                    return listen(
                            service,
                            new NotifierApi(
                                    store, mailboxes, subscriptions, sender, service.clock()));
                });
    }

    /** Hears what is under way, for a while, and writes it down, so that it is not sent again. */
    private static Future<Void> windUp(Vertx vertx, Dispatcher dispatcher, Results results) {
        Promise<Void> over = Promise.promise();
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WIND_UP_MILLIS);
        vertx.setPeriodic(
                TICK_MILLIS,
                timer -> {
                    boolean done = dispatcher.wind() == 0 && results.isEmpty();
                    if (done || System.nanoTime() > until) {
                        vertx.cancelTimer(timer);
                        over.tryComplete();
                        return;
                    }
                    results.flush()
                            .onFailure(cause -> LOG.debug("once more: {}", cause.getMessage()));
                });
        return over.future();
    }

    private static AddressGuard guard(Settings settings) {
        return new AddressGuard(
                settings.get(NotifierSettings.ALLOWED_NETWORKS).stream()
                        .map(Network::parse)
                        .toList(),
                settings.get(NotifierSettings.ALLOW_HTTP));
    }

    private static void gauges(
            Meters meters,
            Dispatcher dispatcher,
            Subscriptions subscriptions,
            Mailboxes mailboxes) {
        for (Circuit.State state : Circuit.State.values()) {
            meters.circuits(
                    state,
                    dispatcher,
                    d ->
                            d.targets().stream()
                                    .filter(each -> each.circuit().state() == state)
                                    .count());
        }
        meters.gauge(
                "muster.notifier.subscriptions",
                "Subscriptions known",
                subscriptions,
                Subscriptions::size);
        meters.gauge("muster.notifier.mailboxes", "Mailboxes held", mailboxes, Mailboxes::size);
        meters.gauge(
                "muster.notifier.memory", "Deliveries in memory", mailboxes, Mailboxes::inMemory);
    }

    /** What time drives. */
    private record Works(
            Dispatcher dispatcher, Results results, Mailboxes mailboxes, Feeds feeds) {}

    private static List<Long> timers(Vertx vertx, Settings settings, Works works) {
        Mailboxes mailboxes = works.mailboxes;
        int lease = settings.get(NotifierSettings.LEASE_MILLIS);
        return List.of(
                vertx.setPeriodic(TICK_MILLIS, _ -> tick(works)),
                vertx.setPeriodic(
                        1, settings.get(NotifierSettings.CLAIM_MILLIS), _ -> mailboxes.claim()),
                vertx.setPeriodic(lease / 4, _ -> mailboxes.renew()),
                vertx.setPeriodic(
                        LOOK_MILLIS,
                        _ -> {
                            works.feeds.lookAround();
                            mailboxes.release();
                        }));
    }

    private static void tick(Works works) {
        works.dispatcher.tick();
        works.results.flush().onFailure(cause -> LOG.debug("once more: {}", cause.getMessage()));
        works.mailboxes.load();
    }

    private Future<Void> listen(ServiceContext service, NotifierApi api) {
        HttpEdge edge = new HttpEdge(service, service.settings().get(SERVICE_TOKEN));
        api.mount(edge);
        stops.push(edge::close);
        return edge.listen(service.settings().get(NotifierSettings.PORT))
                .compose(port -> register(service, port));
    }

    private Future<Void> register(ServiceContext service, int port) {
        stops.push(() -> service.withdraw(role()));
        return service.register(role(), List.of(), port);
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
