package dev.muster.notifier;

import java.util.List;
import java.util.Optional;

/**
 * Which addresses webhooks may reach. Whoever may subscribe chooses where Muster connects to, so
 * what is only reachable from the inside is refused, at each connection: a name may lead elsewhere
 * at any time. What the operator allows is allowed.
 */
final class AddressGuard {

    private record Refused(Network network, String kind) {}

    /** IANA's special-purpose registries for IPv4 and IPv6. */
    private static final List<Refused> REFUSED =
            List.of(
                    refused("0.0.0.0/8", "no address of another machine"),
                    refused("10.0.0.0/8", "private"),
                    refused("100.64.0.0/10", "shared by a provider"),
                    refused("127.0.0.0/8", "loopback"),
                    refused("169.254.0.0/16", "link-local, where metadata services are"),
                    refused("172.16.0.0/12", "private"),
                    refused("192.0.0.0/24", "reserved"),
                    refused("192.0.2.0/24", "reserved"),
                    refused("192.88.99.0/24", "reserved"),
                    refused("192.168.0.0/16", "private"),
                    refused("198.18.0.0/15", "reserved"),
                    refused("198.51.100.0/24", "reserved"),
                    refused("203.0.113.0/24", "reserved"),
                    refused("224.0.0.0/4", "multicast"),
                    refused("240.0.0.0/4", "reserved"),
                    refused("::/96", "loopback or unspecified"),
                    refused("64:ff9b:1::/48", "private"),
                    refused("100::/64", "reserved"),
                    refused("2001::/32", "a tunnel"),
                    refused("2001:db8::/32", "reserved"),
                    refused("fc00::/7", "private"),
                    refused("fe80::/10", "link-local"),
                    refused("fec0::/10", "private"),
                    refused("ff00::/8", "multicast"));

    /** Prefixes of IPv6 addresses that lead to an IPv4 address, and where that one stands. */
    private static final Network NAT64 = Network.parse("64:ff9b::/96");

    private static final int NAT64_TAIL = 12;
    private static final Network SIX_TO_FOUR = Network.parse("2002::/16");
    private static final int SIX_TO_FOUR_TAIL = 2;

    private final List<Network> allowed;
    private final boolean httpAnywhere;

    /**
     * @param httpAnywhere whether public addresses may be reached without TLS
     */
    AddressGuard(List<Network> allowed, boolean httpAnywhere) {
        this.allowed = List.copyOf(allowed);
        this.httpAnywhere = httpAnywhere;
    }

    private static Refused refused(String network, String kind) {
        return new Refused(Network.parse(network), kind);
    }

    /**
     * Why nothing may be sent to an address, in words that follow "the address …", or empty.
     *
     * @param address of 4 or 16 bytes
     */
    Optional<String> problem(byte[] address, boolean tls) {
        byte[] plain = Addresses.plain(address);
        if (allowed.stream().anyMatch(network -> network.holds(plain))) {
            return Optional.empty();
        }
        Optional<String> kind = kind(plain);
        if (kind.isPresent()) {
            return Optional.of(
                    "%s is %s and not in notifier.allowedNetworks"
                            .formatted(Addresses.shown(plain), kind.get()));
        }
        if (!tls && !httpAnywhere) {
            return Optional.of(
                    Addresses.shown(plain) + " may be reached over https alone: it is public");
        }
        return Optional.empty();
    }

    private static Optional<String> kind(byte[] address) {
        byte[] inner = address;
        if (NAT64.holds(address)) {
            inner = Addresses.tail(address, NAT64_TAIL);
        } else if (SIX_TO_FOUR.holds(address)) {
            inner = Addresses.tail(address, SIX_TO_FOUR_TAIL);
        }
        for (Refused each : REFUSED) {
            if (each.network.holds(inner)) {
                return Optional.of(each.kind);
            }
        }
        return Optional.empty();
    }
}
