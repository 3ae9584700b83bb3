package dev.muster.notifier;

import java.util.Locale;

/**
 * A range of addresses in CIDR notation, of IPv4 or IPv6. An IPv4 address in the form of IPv6 is
 * taken for what it is.
 */
record Network(byte[] first, int bits) {

    /**
     * @throws IllegalArgumentException with one sentence
     */
    static Network parse(String text) {
        String[] parts = text.strip().split("/", -1);
        byte[] address = parts.length > 2 ? null : Addresses.literal(parts[0]);
        if (address == null) {
            throw malformed(text);
        }
        int bits = address.length * 8;
        if (parts.length == 2) {
            try {
                bits = Integer.parseUnsignedInt(parts[1]);
            } catch (NumberFormatException _) {
                throw malformed(text);
            }
            if (bits > address.length * 8) {
                throw malformed(text);
            }
        }
        return new Network(address, bits);
    }

    static boolean fits(String text) {
        try {
            return parse(text).bits >= 0;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static IllegalArgumentException malformed(String text) {
        return new IllegalArgumentException(
                "\"%s\" is no network such as 10.0.0.0/8 or fd00::/8"
                        .formatted(text.toLowerCase(Locale.ROOT)));
    }

    /**
     * @param address of 4 or 16 bytes
     */
    boolean holds(byte[] address) {
        if (address.length != first.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit++) {
            int mask = 0x80 >> (bit % 8);
            if ((address[bit / 8] & mask) != (first[bit / 8] & mask)) {
                return false;
            }
        }
        return true;
    }
}
