package dev.muster.simulation;

import dev.muster.domain.LaneId;
import dev.muster.domain.PoolId;
import dev.muster.executor.Reconciler;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.kafka.LaneRefill;
import dev.muster.platform.kafka.LaneSender;
import dev.muster.platform.kafka.RecordSink;
import dev.muster.platform.kafka.Topics;

import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.vertx.core.Future;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Everything of one run: the processes, what they share, and who watches over them. */
final class World {

    static final PoolId POOL = new PoolId("public");
    static final Topics TOPICS = new Topics("muster", 1);
    static final int NODES = 5;
    static final int LANE_WINDOW = 200;
    private static final int ROOM = 100;
    private static final Settings SETTINGS =
            Settings.defaults()
                    .with(PlatformSettings.LANE_WINDOW, LANE_WINDOW)
                    .with(PlatformSettings.LANE_REPEAT_MILLIS, 2_000);

    final Clockwork clock;
    final Plant plant;
    final Faults faults;
    final SimTransport transport;
    final SimDatabase database;
    final SimBackend backend;
    final SimReceivers receivers;
    final Oracle oracle;
    final Users users;
    final List<SimGateway> gateways = new ArrayList<>();
    final Reconciler.Meter uncounted =
            new Reconciler.Meter() {
                @Override
                public void started() {}

                @Override
                public void ordered() {}
            };
    private final CompositeMeterRegistry meters = new CompositeMeterRegistry();
    private final Map<String, SimProcess> processes = new LinkedHashMap<>();
    private final @Nullable Consumer<String> trace;

    /**
     * @param trace takes what happens, null for nobody
     */
    World(long seed, Plant plant, @Nullable Consumer<String> trace) {
        this.clock = new Clockwork(seed);
        this.plant = plant;
        this.trace = trace;
        this.faults = new Faults(this);
        this.transport = new SimTransport(this);
        this.database = new SimDatabase(this);
        this.backend = new SimBackend(this);
        this.oracle = new Oracle(this);
        this.receivers = new SimReceivers(this);
        this.users = new Users(this, seed);
        for (int number = 1; number <= 2; number++) {
            SimGateway gateway = new SimGateway(this, "gateway-" + number);
            gateways.add(gateway);
            add(gateway);
            add(new SimScheduler(this, "scheduler-" + number));
            add(new SimExecutor(this, "executor-" + number));
            add(new SimMonitor(this, "monitor-" + number));
            add(new SimNotifier(this, "notifier-" + number));
        }
    }

    private void add(SimProcess process) {
        processes.put(process.name, process);
    }

    void start() {
        processes.values().forEach(each -> clock.in(clock.between(0, 300), each::start));
        users.begin();
    }

    SimProcess process(String name) {
        return Objects.requireNonNull(processes.get(name), name);
    }

    void trace(Supplier<String> what) {
        if (trace != null) {
            trace.accept("%,9d %s".formatted(clock.now(), what.get()));
        }
    }

    /** Nobody waits for it: an observation comes again. */
    void unheard(Throwable cause) {
        trace(cause::toString);
    }

    /** The surroundings of the real lane of a process. */
    LaneSender.Means lane(SimProcess process, @Nullable LaneRefill refill) {
        RecordSink sink =
                new RecordSink() {
                    @Override
                    public Future<?> send(ProducerRecord<String, byte[]> record) {
                        return transport.send(process, record);
                    }

                    @Override
                    public int room() {
                        return ROOM;
                    }
                };
        return new LaneSender.Means(
                process, sink, (_, lane) -> position(process, lane), refill, SETTINGS, meters);
    }

    private Future<Long> position(SimProcess process, LaneId lane) {
        return database.execute(
                process, "position.read", () -> database.journal.position(lane.value()));
    }
}
