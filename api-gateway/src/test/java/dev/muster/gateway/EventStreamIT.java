package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.muster.domain.Event;
import dev.muster.domain.JobId;
import dev.muster.domain.NodeId;
import dev.muster.domain.ProjectId;
import dev.muster.gateway.GatewayFixture.Gateway;

import io.vertx.core.json.JsonObject;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EventStreamIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final GatewayFixture fixture = new GatewayFixture();
    private TestScheduler scheduler;
    private Gateway gateway;

    @BeforeAll
    void start() throws Exception {
        scheduler = fixture.scheduler();
        gateway =
                fixture.start(
                        "one",
                        s ->
                                s.with(GatewaySettings.RING_ENTRIES, 64)
                                        .with(GatewaySettings.STALL_MILLIS, 500)
                                        .with(GatewaySettings.SUBSCRIBER_BYTES, 16 << 10)
                                        .with(GatewaySettings.HEARTBEAT_MILLIS, 200));
    }

    @AfterAll
    void stop() {
        fixture.close();
        scheduler.close();
    }

    private static JobId newJob() {
        return JobId.of(UUID.randomUUID());
    }

    private void append(JobId job, int count) throws Exception {
        List<Event> events = new ArrayList<>();
        IntStream.range(0, count).forEach(i -> events.add(TestScheduler.notice(job, i)));
        scheduler.append(events);
    }

    /** An open stream, as a client reads it. */
    private final class Stream implements AutoCloseable {
        private final InputStream body;
        private final BufferedReader lines;
        private String id = "";

        Stream(String query, String lastEventId) throws IOException, InterruptedException {
            HttpRequest.Builder request = GatewayFixture.request(gateway, "/api/v1/events" + query);
            if (!lastEventId.isEmpty()) {
                request.header("Last-Event-ID", lastEventId);
            }
            HttpResponse<InputStream> response =
                    fixture.client()
                            .send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            assertThat(response.statusCode()).isEqualTo(200);
            body = response.body();
            lines = new BufferedReader(new InputStreamReader(body, UTF_8));
        }

        JsonObject next() throws IOException {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("id: ")) {
                    id = line.substring(4);
                } else if (line.startsWith("data: ")) {
                    return new JsonObject(line.substring(6));
                }
            }
            throw new IOException("the stream ended");
        }

        List<Long> seqs(int count) throws IOException {
            List<Long> seqs = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                seqs.add(next().getLong("musterseq"));
            }
            return seqs;
        }

        @Override
        public void close() throws IOException {
            body.close();
        }
    }

    private static List<Long> range(long from, int count) {
        return LongStream.range(from, from + count).boxed().toList();
    }

    @Test
    void resumesWithoutGapOrRepeat() throws Exception {
        JobId job = newJob();
        long first = scheduler.seq() + 1;
        String cursor;
        try (Stream stream = new Stream("?after=public:" + (first - 1), "")) {
            append(job, 30);
            assertThat(stream.seqs(20)).isEqualTo(range(first, 20));
            cursor = stream.id;
        }
        append(job, 200); // more than the ring holds
        append(job, 50);
        try (Stream stream = new Stream("", cursor)) {
            assertThat(stream.seqs(200)).isEqualTo(range(first + 20, 200));
            append(job, 20);
            assertThat(stream.seqs(80)).isEqualTo(range(first + 220, 80));
        }
    }

    @Test
    void startsWithWhatComesFromNowOn() throws Exception {
        JobId job = newJob();
        append(job, 5);
        try (Stream stream = new Stream("", "")) {
            long next = scheduler.seq() + 1;
            append(job, 1);
            assertThat(stream.next().getLong("musterseq")).isEqualTo(next);
        }
    }

    @Test
    void passesOverRecordsThatNobodyCanBelieve() throws Exception {
        JobId job = JobId.parse(accepted());
        long first = scheduler.seq() + 1;
        try (Stream stream = new Stream("?after=public:" + (first - 1), "")) {
            append(job, 3);
            scheduler.poison(TestScheduler.notice(job, 4));
            append(job, 3);
            scheduler.poison(new Event.JobStarted(job, new ProjectId("default"), 1));
            scheduler.append(List.of(new Event.JobStarted(job, new ProjectId("default"), 1)));
            assertThat(stream.seqs(7)).isEqualTo(range(first, 7));
        }
        await().atMost(PATIENCE)
                .until(() ->
                        fixture.get(gateway, "/api/v1/jobs/" + job)
                                .json()
                                .getString("state")
                                .equals("RUNNING"));
        for (String why : List.of("malformed", "foreign", "ahead")) {
            assertThat(
                            gateway.runner()
                                    .context()
                                    .meters()
                                    .get("muster.records.skipped")
                                    .tag("loop", "gateway-events")
                                    .tag("why", why)
                                    .counter()
                                    .count())
                    .as(why)
                    .isPositive();
        }
    }

    private String accepted() throws Exception {
        return fixture.submit(gateway, "of-the-stream");
    }

    @Test
    void sendsOnlyWhatWasAskedForAndMayBeSeen() throws Exception {
        String mine = accepted();
        JobId job = JobId.parse(mine);
        long before = scheduler.seq();
        scheduler.append(
                List.of(
                        new Event.NodeReadinessChanged(new NodeId("n"), false),
                        TestScheduler.notice(newJob(), 1),
                        TestScheduler.notice(job, 2),
                        new Event.InputsAbsorbed(1)));
        try (Stream stream = new Stream("?after=0&job=" + mine, "")) {
            JsonObject event = stream.next();
            assertThat(event.getString("musterjob")).isEqualTo(mine);
            assertThat(event.getLong("musterseq")).isEqualTo(before + 3);
            assertThat(event.getJsonObject("data").getString("message")).isEqualTo("notice 2");
        }
        HttpRequest refused =
                GatewayFixture.request(gateway, "/api/v1/events?type=Nonsense&after=x&pool=y")
                        .GET()
                        .build();
        HttpResponse<String> answer =
                fixture.client().send(refused, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(new JsonObject(answer.body()).getJsonArray("violations")).hasSize(3);
    }

    @Test
    void cutsOffASubscriberThatDoesNotRead() throws Exception {
        append(newJob(), 20_000);
        try (Socket deaf = new Socket(InetAddress.getLoopbackAddress(), gateway.service().port())) {
            deaf.setReceiveBufferSize(4 << 10);
            deaf.getOutputStream()
                    .write(
                            ("GET /api/v1/events?after=0 HTTP/1.1\r\n"
                                            + "Host: x\r\n"
                                            + "Authorization: Bearer "
                                            + GatewayFixture.TOKEN
                                            + "\r\n\r\n")
                                    .getBytes(UTF_8));
            await().atMost(PATIENCE).until(() -> subscribers() > 0);
            await().atMost(PATIENCE).until(() -> subscribers() == 0);
        }
    }

    @Test
    void forgetsASubscriberThatGoesAway() throws Exception {
        try (Stream stream = new Stream("", "")) {
            assertThat(stream.id).isEmpty();
            await().atMost(PATIENCE).until(() -> subscribers() > 0);
        }
        await().atMost(PATIENCE).until(() -> subscribers() == 0);
    }

    private double subscribers() {
        return gateway.runner()
                .context()
                .meters()
                .get("muster.gateway.subscribers")
                .gauge()
                .value();
    }
}
