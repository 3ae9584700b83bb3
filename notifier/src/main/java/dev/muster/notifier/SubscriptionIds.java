package dev.muster.notifier;

import java.util.Optional;
import java.util.UUID;

/** Ids of subscriptions as they are shown: 32 hexadecimal digits. */
final class SubscriptionIds {

    private static final int DIGITS = 32;
    private static final int HALF = 16;
    private static final int HEX = 16;

    private SubscriptionIds() {}

    static Optional<UUID> parse(String text) {
        if (text.length() != DIGITS || !text.matches("[0-9a-f]+")) {
            return Optional.empty();
        }
        return Optional.of(
                new UUID(
                        Long.parseUnsignedLong(text.substring(0, HALF), HEX),
                        Long.parseUnsignedLong(text.substring(HALF), HEX)));
    }
}
