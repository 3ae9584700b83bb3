package dev.muster.notifier;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/** Addresses as bytes. */
final class Addresses {

    private static final int V4_BYTES = 4;
    private static final int V6_BYTES = 16;
    private static final int MAPPED_PREFIX = 12;

    private Addresses() {}

    /** Of an address in writing; null for a name. Never asks a name server. */
    static byte @Nullable [] literal(String text) {
        String bare =
                text.startsWith("[") && text.endsWith("]")
                        ? text.substring(1, text.length() - 1)
                        : text;
        boolean v6 = bare.indexOf(':') >= 0 && bare.indexOf('%') < 0;
        boolean v4 = bare.matches("\\d{1,3}(\\.\\d{1,3}){3}");
        if (!v6 && !v4) {
            return null;
        }
        try {
            // neither form can be a name, so nothing is looked up
            return plain(InetAddress.getByName(bare).getAddress());
        } catch (UnknownHostException _) {
            return null;
        }
    }

    /** An IPv4 address that is written as IPv6 ({@code ::ffff:a.b.c.d}) as its 4 bytes. */
    static byte[] plain(byte[] address) {
        if (address.length != V6_BYTES) {
            return address;
        }
        for (int i = 0; i < MAPPED_PREFIX; i++) {
            int expected = i < MAPPED_PREFIX - 2 ? 0 : 0xff;
            if ((address[i] & 0xff) != expected) {
                return address;
            }
        }
        return tail(address, MAPPED_PREFIX);
    }

    /** 4 bytes from here on. */
    static byte[] tail(byte[] address, int from) {
        return Arrays.copyOfRange(address, from, from + V4_BYTES);
    }

    static String shown(byte[] address) {
        try {
            return InetAddress.getByAddress(address).getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an address has 4 or 16 bytes", e);
        }
    }
}
