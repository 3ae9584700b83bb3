package dev.muster.platform.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;

import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.Message;
import dev.muster.domain.PoolSnapshot;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

class CodecTest {

    private static final Command.SubmitJob SUBMIT =
            (Command.SubmitJob) Samples.messages().getFirst();

    @Test
    void writesKeysInOrderAtEveryDepth() throws IOException {
        for (Event each : Samples.events()) {
            assertKeysSorted(Json.json().readTree(Codec.encode(each)));
        }
        assertKeysSorted(Json.json().readTree(Codec.encode(SUBMIT, "{\"a\":1}")));
    }

    private static void assertKeysSorted(JsonNode node) {
        List<String> names = new ArrayList<>();
        node.fieldNames().forEachRemaining(names::add);
        List<String> sorted = new ArrayList<>(names);
        Collections.sort(sorted);
        assertThat(names).isEqualTo(sorted);
        node.forEach(CodecTest::assertKeysSorted);
    }

    @Test
    void passesAnUnknownTypeOn() {
        byte[] data = "{\"x\":1}".getBytes(UTF_8);
        Decoded<Event> decoded = Codec.event("JobTeleported", data);
        assertThat(decoded).isEqualTo(new Decoded.Unknown<Event>("JobTeleported", data));
        assertThatThrownBy(decoded::orThrow)
                .isInstanceOf(UnknownType.class)
                .hasMessageContaining("JobTeleported");
    }

    @Test
    void skipsMembersThatItDoesNotKnow() {
        byte[] newer =
                """
                {"attempt":1,"job":"%s","later":{"a":[1]},"project":"vision"}\
                """
                        .formatted(Samples.JOB)
                        .getBytes(UTF_8);
        assertThat(Codec.event("JobStarted", newer).orThrow())
                .isEqualTo(new Event.JobStarted(Samples.JOB, Samples.PROJECT, 1));
    }

    @Test
    void carriesTheSpecificationOfASubmissionThatTheSchedulerSkips() throws IOException {
        byte[] data = Codec.encode(SUBMIT, "{\"image\":\"x\"}");
        assertThat(Json.json().readTree(data).at("/spec/image").asText()).isEqualTo("x");
        assertThat(Codec.message("SubmitJob", data).orThrow()).isEqualTo(SUBMIT);
    }

    @Test
    void callsBytesOfAnotherKindMalformed() {
        for (String bad :
                List.of(
                        "",
                        "{",
                        "[]",
                        "{\"attempt\":\"x\"}",
                        "{\"job\":\"not-a-uuid\"}",
                        "\u0000")) {
            assertThatThrownBy(() -> Codec.event("JobStarted", bad.getBytes(UTF_8)))
                    .as(bad)
                    .isInstanceOf(Malformed.class);
        }
    }

    @Test
    void givesAJournalBodyBackWithUnknownEventsBetween() {
        List<EncodedEvent> events = Samples.events().stream().map(EncodedEvent::of).toList();
        byte[] body = JournalBody.encode(Samples.inputs(), events);
        assertThat(JournalBody.encode(Samples.inputs(), events)).isEqualTo(body);
        List<JournalBody.RawEvent> raw = JournalBody.rawEvents(body);
        for (int i = 0; i < events.size(); i++) {
            assertThat(raw.get(i).type()).isEqualTo(events.get(i).type());
            assertThat(raw.get(i).data()).isEqualTo(events.get(i).data());
        }
        assertThat(JournalBody.events(body).stream().map(Decoded::orThrow))
                .isEqualTo(Samples.events());
    }

    @Test
    void readsAnUnknownEventOfARowButNoUnknownInput() {
        String events = "{\"events\":[{\"data\":{\"a\":1},\"type\":\"New\"}],\"inputs\":[]}";
        JournalBody body = JournalBody.decode(Compression.compress(events.getBytes(UTF_8)));
        assertThat(body.events().getFirst()).isInstanceOf(Decoded.Unknown.class);
        String inputs = "{\"events\":[],\"inputs\":[{\"data\":{},\"type\":\"New\"}]}";
        byte[] packed = Compression.compress(inputs.getBytes(UTF_8));
        assertThatThrownBy(() -> JournalBody.decode(packed)).isInstanceOf(UnknownType.class);
        assertThatThrownBy(() -> JournalBody.decode(new byte[] {1, 2, 3}))
                .isInstanceOf(Malformed.class);
    }

    @Test
    void givesASnapshotBack() {
        for (int jobs : new int[] {0, 1, 1000, 2 * SnapshotFormat.JOBS_PER_FRAME + 1}) {
            PoolSnapshot snapshot = Samples.snapshot(jobs);
            assertThat(SnapshotCodec.decode(SnapshotCodec.encode(snapshot))).isEqualTo(snapshot);
        }
    }

    @Test
    void noticesEveryDamageOfASnapshot() {
        byte[] sound = SnapshotCodec.encode(Samples.snapshot(50));
        for (int at = 0; at < sound.length; at++) {
            byte[] damaged = sound.clone();
            damaged[at] ^= 4;
            assertThatThrownBy(() -> SnapshotCodec.decode(damaged))
                    .as("byte " + at)
                    .isInstanceOf(Malformed.class);
            byte[] cut = Arrays.copyOf(sound, at);
            assertThatThrownBy(() -> SnapshotCodec.decode(cut))
                    .as("cut at " + at)
                    .isInstanceOf(Malformed.class);
        }
    }

    @Test
    void namesTheFormatOfASnapshotThatALaterVersionWrote() {
        byte[] later = SnapshotCodec.encode(Samples.snapshot(1));
        later[SnapshotFormat.MAGIC.length + 3] = 9;
        assertThatThrownBy(() -> SnapshotCodec.decode(later))
                .isInstanceOf(Malformed.class)
                .hasMessage("a snapshot: this version reads formats up to 4, and it has format 9");
    }

    @Test
    void registersEveryPermittedType() {
        assertThat(Codec.eventTypes()).contains("JobSubmitted", "NodeDeclared", "InputsAbsorbed");
        assertThat(Codec.messageTypes()).contains("SubmitJob", "ShardTaken");
        for (Message each : Samples.messages()) {
            assertThat(Codec.message(Codec.type(each), Codec.encode(each)).orThrow())
                    .isEqualTo(each);
        }
    }
}
