package dev.muster.notifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Objects;

class AddressGuardTest {

    private final AddressGuard strict = new AddressGuard(List.of(), false);

    private static byte[] address(String text) {
        return Objects.requireNonNull(Addresses.literal(text), text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.255.0.9",
                "0.0.0.0",
                "10.1.2.3",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.7.7",
                "169.254.169.254",
                "100.64.0.1",
                "224.0.0.1",
                "255.255.255.255",
                "::1",
                "::",
                "::ffff:127.0.0.1",
                "::ffff:10.0.0.1",
                "::127.0.0.1",
                "64:ff9b::10.0.0.1",
                "64:ff9b::a9fe:a9fe",
                "2002:7f00:1::",
                "fd00:ec2::254",
                "fe80::1",
                "fec0::1",
                "ff02::1",
                "2001:0:1::1"
            })
    void refusesWhatIsReachableFromInsideAlone(String text) {
        assertThat(strict.problem(address(text), true)).as(text).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.1.1.1", "172.32.0.1", "2606:4700::1111", "::ffff:1.1.1.1"})
    void letsPublicAddressesBeReachedOverTlsAlone(String text) {
        assertThat(strict.problem(address(text), true)).isEmpty();
        assertThat(strict.problem(address(text), false)).isPresent();
        AddressGuard lax = new AddressGuard(List.of(), true);
        assertThat(lax.problem(address(text), false)).isEmpty();
        assertThat(lax.problem(address("127.0.0.1"), false)).isPresent();
    }

    @Test
    void refusesAMappedAddressInItsRawForm() {
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xff;
        mapped[11] = (byte) 0xff;
        mapped[12] = 127;
        mapped[15] = 1;
        assertThat(strict.problem(mapped, true)).isPresent();
    }

    @Test
    void letsThroughWhatTheOperatorNames() {
        AddressGuard guard =
                new AddressGuard(
                        List.of(Network.parse("10.1.0.0/16"), Network.parse("fd00::/8")), false);
        assertThat(guard.problem(address("10.1.9.9"), false)).isEmpty();
        assertThat(guard.problem(address("::ffff:10.1.9.9"), false)).isEmpty();
        assertThat(guard.problem(address("fd12::1"), true)).isEmpty();
        assertThat(guard.problem(address("10.2.0.1"), true)).isPresent();
    }

    @Test
    void readsNetworksAndRefusesWhatIsNone() {
        assertThat(Network.parse("127.0.0.1").holds(address("127.0.0.1"))).isTrue();
        assertThat(Network.parse("127.0.0.1").holds(address("127.0.0.2"))).isFalse();
        assertThat(Network.parse("0.0.0.0/0").holds(address("9.9.9.9"))).isTrue();
        for (String bad :
                List.of("example.com/8", "10.0.0.0/33", "10.0.0/8", "", "::/129", "a/b/c")) {
            assertThatThrownBy(() -> Network.parse(bad))
                    .as(bad)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
