package dev.muster.notifier;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.UUID;

class DeliveryTest {

    @Test
    void anIdIsReadBackAsItWasWritten() {
        Delivery.Id id = new Delivery.Id("gpu-a", 42, UUID.randomUUID());
        assertThat(Delivery.Id.parse(id.toString())).contains(id);
        for (String bad : new String[] {"", "a", "public-1", "public-x-" + "0".repeat(32), "--"}) {
            assertThat(Delivery.Id.parse(bad)).as(bad).isEmpty();
        }
    }

    @Test
    void anEndpointTellsItsTargetWhateverThePath() {
        Endpoint endpoint = Endpoint.of("https://Example.com/a?b=c");
        assertThat(endpoint.target()).isEqualTo("https://example.com:443");
        assertThat(endpoint.path()).isEqualTo("/a?b=c");
        assertThat(Endpoint.of("http://example.com:81").target())
                .isEqualTo("http://example.com:81");
        assertThat(Endpoint.of("http://[::1]:81/").host()).isEqualTo("[::1]");
    }
}
