package dev.muster.testkit;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Records that no reader of a topic can take, made of one that it could. */
public final class PoisonRecords {

    private static final int OVERSIZE = 900_000;
    private static final String FAR = "1000000000000000000";

    private PoisonRecords() {}

    /**
     * Every kind: garbage, nothing, truncated, oversize, another version, of a pool that is not
     * there, numbered beyond all that was written, or with no number at all.
     */
    public static List<ProducerRecord<String, byte[]>> of(ProducerRecord<String, byte[]> good) {
        byte[] data = good.value();
        byte[] later =
                new String(data, StandardCharsets.UTF_8)
                        .replace("\"v\":1,", "\"v\":99,")
                        .getBytes(StandardCharsets.UTF_8);
        return List.of(
                new ProducerRecord<>(good.topic(), good.partition(), null, garbage(64)),
                new ProducerRecord<>(good.topic(), good.partition(), "\u0000key", garbage(3)),
                changed(good, garbage(200), Map.of()),
                changed(good, new byte[0], Map.of()),
                new ProducerRecord<>(
                        good.topic(), good.partition(), null, null, null, good.headers()),
                changed(good, Arrays.copyOf(data, data.length / 2), Map.of()),
                changed(good, garbage(OVERSIZE), Map.of()),
                changed(good, later, Map.of("ce_specversion", "9.0", "n", FAR)),
                changed(good, data, Map.of("ce_musterpool", "nowhere", "pool", "nowhere")),
                changed(good, data, Map.of("ce_musterpool", "\n{", "pool", "\n{", "lane", "")),
                changed(good, data, Map.of("ce_musterseq", FAR, "n", FAR)),
                changed(good, data, Map.of("ce_musterseq", "-1", "n", "-1")),
                changed(good, data, Map.of("ce_musterseq", "many", "n", "many")));
    }

    private static byte[] garbage(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static ProducerRecord<String, byte[]> changed(
            ProducerRecord<String, byte[]> good, byte[] value, Map<String, String> headers) {
        ProducerRecord<String, byte[]> changed =
                new ProducerRecord<>(good.topic(), good.partition(), good.timestamp(), null, value);
        for (Header each : good.headers()) {
            String other = headers.get(each.key());
            changed.headers()
                    .add(
                            each.key(),
                            other == null ? each.value() : other.getBytes(StandardCharsets.UTF_8));
        }
        return changed;
    }
}
