package dev.muster.platform.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.domain.Event;
import dev.muster.domain.Input;
import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;
import dev.muster.domain.LaneId;
import dev.muster.domain.NodeId;
import dev.muster.domain.PoolId;
import dev.muster.domain.ProjectId;
import dev.muster.platform.codec.EncodedEvent;
import dev.muster.platform.codec.Malformed;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class RecordsTest {

    private static final PoolId POOL = new PoolId("public");

    @Test
    void writesAJobsEventAsABinaryCloudEvent() {
        JobId job = new JobId(1, 2);
        Event event = new Event.JobStarted(job, new ProjectId("vision"), 1);
        EventRecord record = EventRecord.of(POOL, 42, 1_700_000_000_123L, EncodedEvent.of(event));
        ProducerRecord<String, byte[]> wire = record.toKafka("muster.events", 3);
        assertThat(headers(wire))
                .isEqualTo(
                        new TreeMap<>(
                                Map.ofEntries(
                                        Map.entry("ce_specversion", "1.0"),
                                        Map.entry("ce_id", "public-42"),
                                        Map.entry("ce_type", "dev.muster.JobStarted"),
                                        Map.entry("ce_source", "/pools/public"),
                                        Map.entry("ce_time", "2023-11-14T22:13:20.123Z"),
                                        Map.entry("ce_subject", job.toString()),
                                        Map.entry("ce_musterjob", job.toString()),
                                        Map.entry("ce_musterproject", "vision"),
                                        Map.entry("ce_musterpool", "public"),
                                        Map.entry("ce_musterseq", "42"),
                                        Map.entry("content-type", "application/json"))));
        EventRecord read = EventRecord.read(Submissions.received(wire));
        assertThat(read).isEqualTo(record);
        assertThat(read.decode().orThrow()).isEqualTo(event);
    }

    @Test
    void namesTheNodeOfANodesEventAndNoProject() {
        Event event = new Event.NodeReadinessChanged(new NodeId("node-1"), true);
        EventRecord record = EventRecord.of(POOL, 1, 5, EncodedEvent.of(event));
        EventRecord read = EventRecord.read(Submissions.received(record.toKafka("t", 0)));
        assertThat(read.node()).isEqualTo("node-1");
        assertThat(read.job()).isEmpty();
        assertThat(read.project()).isEmpty();
    }

    @Test
    void givesALaneRecordBackAsTheCoresInput() {
        LaneRecord record =
                LaneRecord.of(POOL, new LaneId("gateway/a/public"), 7, Submissions.of(1));
        LaneRecord read = Submissions.read(record.toKafka("t", 0));
        assertThat(read).isEqualTo(record);
        assertThat(read.job()).isEqualTo(new JobId(1, 1).toString());
        assertThat(read.delivered())
                .isEqualTo(
                        new Input.Delivered(new LaneId("gateway/a/public"), 7, Submissions.of(1)));
    }

    @Test
    void callsARecordWithoutItsHeadersMalformed() {
        var bare = Submissions.received(new ProducerRecord<>("t", 0, null, new byte[] {1}));
        assertThatThrownBy(() -> LaneRecord.read(bare)).isInstanceOf(Malformed.class);
        assertThatThrownBy(() -> EventRecord.read(bare)).isInstanceOf(Malformed.class);
    }

    private static Map<String, String> headers(ProducerRecord<String, byte[]> record) {
        Map<String, String> headers = new TreeMap<>();
        record.headers()
                .forEach(h -> headers.put(h.key(), new String(h.value(), StandardCharsets.UTF_8)));
        return headers;
    }

    @Test
    void packsSignalsInColumnsAndReadsThemBack() {
        ProgressRecord.Signal hung =
                new ProgressRecord.Signal(
                        new InstanceRef(new JobId(1, 2), 1, 0, 2),
                        3,
                        6_000,
                        5_000,
                        77,
                        9,
                        -1,
                        "",
                        "");
        ProgressRecord.Signal broken =
                new ProgressRecord.Signal(
                        new InstanceRef(new JobId(3, 4), 2, 1, 1),
                        1,
                        900,
                        10,
                        1 << 20,
                        0,
                        200,
                        "ckpt/200",
                        "NCCL error");
        ProgressRecord record = new ProgressRecord(POOL, 7, 1_000, List.of(hung, broken));

        assertThat(ProgressRecord.decode(record.encode())).isEqualTo(record);
    }

    @Test
    void refusesSignalsWhoseColumnsAreUneven() {
        String uneven =
                new String(
                                new ProgressRecord(POOL, 7, 1_000, List.of()).encode(),
                                StandardCharsets.UTF_8)
                        .replace("\"step\":[]", "\"step\":[1]");

        assertThatThrownBy(() -> ProgressRecord.decode(uneven.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(Malformed.class);
        assertThatThrownBy(() -> ProgressRecord.decode("{}".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(Malformed.class);
    }
}
