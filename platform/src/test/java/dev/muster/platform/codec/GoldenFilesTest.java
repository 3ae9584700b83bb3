package dev.muster.platform.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.muster.domain.Event;
import dev.muster.domain.Message;
import dev.muster.domain.PoolSnapshot;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What was once written stays readable for ever. A golden file {@code <Type>.json} is what the
 * first version of a type wrote; a changed type gets {@code <Type>.2.json} beside it. A file is
 * never changed or deleted. Run with {@code -Dgolden.write=true} to write those that are missing.
 */
class GoldenFilesTest {

    private static final Path GOLDEN = Path.of("src/test/resources/golden");

    @Test
    void everyEventTypeHasASampleAndIsWrittenAsItsNewestGoldenFile() throws IOException {
        assertThat(Samples.events().stream().map(Event::type).collect(Collectors.toSet()))
                .isEqualTo(Codec.eventTypes());
        for (Event each : Samples.events()) {
            check(GOLDEN.resolve("events"), each.type(), Codec.encode(each));
        }
    }

    @Test
    void everyMessageTypeHasASampleAndIsWrittenAsItsNewestGoldenFile() throws IOException {
        assertThat(Samples.messages().stream().map(Codec::type).collect(Collectors.toSet()))
                .isEqualTo(Codec.messageTypes());
        for (Message each : Samples.messages()) {
            check(GOLDEN.resolve("messages"), Codec.type(each), Codec.encode(each));
        }
    }

    @Test
    void everyGoldenFileIsReadAndTheNewestGivesItsSample() throws IOException {
        for (Path file : files(GOLDEN.resolve("events"))) {
            Event read = Codec.event(type(file), Files.readAllBytes(file)).orThrow();
            if (file.equals(newest(GOLDEN.resolve("events"), type(file)))) {
                assertThat(Samples.events()).contains(read);
            }
        }
        for (Path file : files(GOLDEN.resolve("messages"))) {
            Message read = Codec.message(type(file), Files.readAllBytes(file)).orThrow();
            if (file.equals(newest(GOLDEN.resolve("messages"), type(file)))) {
                assertThat(Samples.messages()).contains(read);
            }
        }
    }

    @Test
    void journalBodyAndSnapshotOfTheFirstVersionAreRead() throws IOException {
        Path journal = GOLDEN.resolve("journal-body.zst");
        Path snapshot = GOLDEN.resolve("snapshot.zst");
        List<EncodedEvent> events = Samples.firstEvents().stream().map(EncodedEvent::of).toList();
        write(journal, JournalBody.encode(Samples.inputs(), events));
        JournalBody body = JournalBody.decode(Files.readAllBytes(journal));
        assertThat(body.inputs()).isEqualTo(Samples.inputs());
        assertThat(body.events().stream().map(Decoded::orThrow)).isEqualTo(Samples.firstEvents());
        assertThat(SnapshotCodec.decode(Files.readAllBytes(snapshot)))
                .isEqualTo(Samples.snapshot(2));
    }

    @Test
    void snapshotOfAJobThatRestartsIsRead() throws IOException {
        Path snapshot = GOLDEN.resolve("snapshot.2.zst");
        assertThat(SnapshotCodec.decode(Files.readAllBytes(snapshot)))
                .isEqualTo(Samples.restarting());
    }

    @Test
    void aSnapshotInPiecesIsReadAndWrittenTheSame() throws IOException {
        for (PoolSnapshot each : List.of(Samples.snapshot(2), Samples.restarting())) {
            Path former = GOLDEN.resolve("snapshot." + each.seq() + ".3.bin");
            assertThat(SnapshotCodec.decode(Files.readAllBytes(former))).isEqualTo(each);
            Path file = GOLDEN.resolve("snapshot." + each.seq() + ".4.bin");
            write(file, SnapshotCodec.encode(each));
            assertThat(SnapshotCodec.decode(Files.readAllBytes(file))).isEqualTo(each);
            assertThat(SnapshotCodec.encode(each)).isEqualTo(Files.readAllBytes(file));
        }
    }

    private static void check(Path dir, String type, byte[] written) throws IOException {
        if (newest(dir, type) == null) {
            write(dir.resolve(type + ".json"), written);
        }
        Path newest = newest(dir, type);
        if (newest == null) {
            fail("no golden file for " + type + ": run this test with -Dgolden.write=true");
            return;
        }
        assertThat(new String(written, StandardCharsets.UTF_8)).isEqualTo(Files.readString(newest));
    }

    private static void write(Path file, byte[] data) throws IOException {
        if (Boolean.getBoolean("golden.write") && Files.notExists(file)) {
            Files.createDirectories(file.getParent());
            Files.write(file, data);
        }
    }

    private static @org.jspecify.annotations.Nullable Path newest(Path dir, String type)
            throws IOException {
        Path newest = null;
        for (Path each : files(dir)) {
            if (type(each).equals(type)) {
                newest = each;
            }
        }
        return newest;
    }

    private static Set<Path> files(Path dir) throws IOException {
        try (Stream<Path> all = Files.list(dir)) {
            return all.collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static String type(Path file) {
        String name = file.getFileName().toString();
        return name.substring(0, name.indexOf('.'));
    }
}
