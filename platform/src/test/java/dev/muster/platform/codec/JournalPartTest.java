package dev.muster.platform.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

class JournalPartTest {

    private static JournalPart.Row row(long seq, String body) {
        return new JournalPart.Row(
                seq,
                seq + 1,
                1_700_000_000_123_456L,
                1_700_000_000_123L,
                7,
                2,
                1,
                "{\"gateway/gä/public\": 3}",
                body.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void givesBackEveryColumnOfEveryRowAndTheSameBytesForThem() {
        List<JournalPart.Row> rows = List.of(row(1, "first"), row(3, ""));

        byte[] part = JournalPart.encode(rows);

        assertThat(JournalPart.decode(part)).usingRecursiveComparison().isEqualTo(rows);
        assertThat(JournalPart.encode(rows)).isEqualTo(part);
        assertThat(JournalPart.decode(JournalPart.encode(List.of()))).isEmpty();
    }

    @Test
    void refusesWhatIsNoPartOrNotAllOfOne() {
        byte[] part = JournalPart.encode(List.of(row(1, "first")));
        byte[] unpacked = Compression.decompress(part);
        byte[] later = unpacked.clone();
        later[3] = 2;

        for (byte[] each :
                List.of(
                        new byte[] {1, 2, 3},
                        Arrays.copyOf(part, part.length - 1),
                        Compression.compress(Arrays.copyOf(unpacked, unpacked.length - 1)),
                        Compression.compress(Arrays.copyOf(unpacked, unpacked.length + 1)),
                        Compression.compress(later))) {
            assertThatThrownBy(() -> JournalPart.decode(each)).isInstanceOf(Malformed.class);
        }
    }
}
