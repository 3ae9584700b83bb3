package dev.muster.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;

class LoopbackNetworkTest {

    private final LoopbackNetwork network = new LoopbackNetwork(20_100, 20_102);

    @Test
    void liveAttemptsShareNeitherPortNorAddress() throws IOException {
        Rendezvous first = network.take(2);
        Rendezvous second = network.take(2);

        assertThat(first.port()).isNotEqualTo(second.port());
        assertThat(first.hosts()).hasSize(2).doesNotContainAnyElementsOf(second.hosts());
    }

    @Test
    void aPortThatSomebodyListensOnIsLeftOut() throws IOException {
        try (ServerSocket other = new ServerSocket()) {
            other.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 20_100));
            assertThat(network.take(1).port()).isNotEqualTo(20_100);
        }
    }

    @Test
    void saysSoWhenEveryPortIsTakenAndGoesOnWhenOneIsGivenBack() throws IOException {
        Rendezvous first = network.take(1);
        network.take(1);
        network.take(1);
        assertThatThrownBy(() -> network.take(1)).hasMessageContaining("MASTER_PORT");

        network.giveBack(first);
        assertThat(network.take(1).port()).isEqualTo(first.port());
    }

    @Test
    void aLaterProcessReadsWhatWasChosen(@TempDir Path attempt) throws IOException {
        Rendezvous chosen = network.take(3);
        chosen.write(attempt);

        assertThat(Rendezvous.read(attempt)).contains(chosen);
        assertThat(Rendezvous.read(attempt.resolve("other"))).isEmpty();
    }
}
