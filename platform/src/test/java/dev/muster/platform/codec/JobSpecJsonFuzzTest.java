package dev.muster.platform.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.muster.domain.Limits;
import dev.muster.platform.codec.JobSpecJson.Parsed;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.Random;

/** Whatever bytes come, the reader answers, and what it accepts reads back the same. */
class JobSpecJsonFuzzTest {

    private static final int ROUNDS = 20_000;
    private static final String[] PIECES = {
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "null",
        "true",
        "-1",
        "1e999",
        "9999999999999999999",
        "\\u0000",
        "\\ud800",
        "\"name\":",
        "\"inputs\":[{",
        "\"environment\":{",
        "\u0000",
        "\u00ff",
        "/../",
        "0.0000001",
        "\"command\":",
        "数",
        "\\",
        "\"resources\":{\"cpu\":",
        "MA_X"
    };

    private final JobSpecJson json = new JobSpecJson(Limits.DEFAULTS);

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 42, 2026})
    void answersWhateverComes(long seed) {
        Random random = new Random(seed);
        byte[] good =
                """
                {"name":"fuzz","command":"echo","instances":2,"resources":{"cpu":"500m","memory":"1Gi",
                "accelerators":0.5},"parameters":[{"name":"lr","value":0.1}],"environment":{"A":"b"},
                "inputs":[{"name":"i","source":"obs://b/i","access":"env"}],
                "outputs":[{"name":"o","target":"obs://b/o","preDownload":true}],"autoStopHours":2}
                """
                        .getBytes(UTF_8);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = good;
            int changes = 1 + random.nextInt(4);
            for (int i = 0; i < changes; i++) {
                bytes = changed(bytes, random);
            }
            check(bytes, seed, round);
        }
    }

    private void check(byte[] bytes, long seed, int round) {
        Parsed parsed;
        try {
            parsed = json.parse(bytes);
        } catch (RuntimeException e) {
            fail("seed " + seed + ", round " + round + ": " + new String(bytes, UTF_8), e);
            return;
        }
        switch (parsed) {
            case Parsed.Accepted accepted ->
                    assertThat(JobSpecJson.decode(accepted.canonical()))
                            .as("seed %d, round %d", seed, round)
                            .isEqualTo(accepted.spec());
            case Parsed.Refused refused -> assertThat(refused.violations()).isNotEmpty();
        }
    }

    private static byte[] changed(byte[] bytes, Random random) {
        if (bytes.length == 0) {
            return PIECES[random.nextInt(PIECES.length)].getBytes(UTF_8);
        }
        int at = random.nextInt(bytes.length);
        return switch (random.nextInt(5)) {
            case 0 -> {
                byte[] copy = bytes.clone();
                copy[at] = (byte) random.nextInt(256);
                yield copy;
            }
            case 1 -> Arrays.copyOf(bytes, at);
            case 2 -> joined(bytes, at, at + random.nextInt(bytes.length - at), new byte[0]);
            case 3 -> joined(bytes, at, at, PIECES[random.nextInt(PIECES.length)].getBytes(UTF_8));
            case 4 -> {
                int to = at + random.nextInt(bytes.length - at);
                yield joined(bytes, at, at, Arrays.copyOfRange(bytes, at, to));
            }
            default -> throw new AssertionError();
        };
    }

    /** The bytes with those from {@code from} to {@code to} replaced. */
    private static byte[] joined(byte[] bytes, int from, int to, byte[] middle) {
        byte[] out = new byte[from + middle.length + bytes.length - to];
        System.arraycopy(bytes, 0, out, 0, from);
        System.arraycopy(middle, 0, out, from, middle.length);
        System.arraycopy(bytes, to, out, from + middle.length, bytes.length - to);
        return out;
    }
}
