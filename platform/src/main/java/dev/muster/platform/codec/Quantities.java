package dev.muster.platform.codec;

/** Amounts as people write them, read into whole numbers of the domain's unit. */
enum Quantities {
    /** Thousandths of a core: {@code 2}, {@code 0.5}, {@code "500m"}. */
    CORES("a number of cores, such as 2, 0.5 or \"500m\"") {
        @Override
        long parse(String text) {
            if (text.endsWith("m")) {
                return scaled(text.substring(0, text.length() - 1), 1, 1);
            }
            return scaled(text, 1000, 1);
        }
    },

    /** Thousandths of a device: {@code 2}, {@code 0.5}. */
    DEVICES("a number of devices, such as 2 or 0.5") {
        @Override
        long parse(String text) {
            return scaled(text, 1000, 1);
        }
    },

    /** MiB, rounded up: bytes as a number, or a text with a unit. */
    MEMORY("bytes, or a text such as \"512Mi\", \"16Gi\", \"1.5Ti\" or \"10G\"") {
        @Override
        long parse(String text) {
            for (Unit unit : Unit.values()) {
                if (text.endsWith(unit.suffix)) {
                    String number = text.substring(0, text.length() - unit.suffix.length());
                    return scaled(number, unit.bytes, 1 << 20);
                }
            }
            return scaled(text, 1, 1 << 20);
        }
    };

    /** What {@link #parse} gives for a text that is no amount. */
    static final long MALFORMED = -1;

    private static final int MAX_WHOLE_DIGITS = 15;
    private static final int MAX_FRACTION_DIGITS = 3;

    private final String form;

    Quantities(String form) {
        this.form = form;
    }

    String form() {
        return form;
    }

    /** {@link #MALFORMED} or an amount that is not negative, at most {@link Long#MAX_VALUE}. */
    abstract long parse(String text);

    private enum Unit {
        KI("Ki", 1L << 10),
        MI("Mi", 1L << 20),
        GI("Gi", 1L << 30),
        TI("Ti", 1L << 40),
        K("k", 1_000L),
        M("M", 1_000_000L),
        G("G", 1_000_000_000L),
        T("T", 1_000_000_000_000L);

        private final String suffix;
        private final long bytes;

        Unit(String suffix, long bytes) {
            this.suffix = suffix;
            this.bytes = bytes;
        }
    }

    /** Decimal text times {@code factor}, divided by {@code divisor} and rounded up. */
    private static long scaled(String text, long factor, long divisor) {
        int dot = text.indexOf('.');
        String whole = dot < 0 ? text : text.substring(0, dot);
        String fraction = dot < 0 ? "" : text.substring(dot + 1);
        if (!digits(whole, MAX_WHOLE_DIGITS)
                || (dot >= 0 && !digits(fraction, MAX_FRACTION_DIGITS))) {
            return MALFORMED;
        }
        long thousandths =
                Long.parseLong(whole) * 1000
                        + (dot < 0 ? 0 : Long.parseLong((fraction + "00").substring(0, 3)));
        if (thousandths > Long.MAX_VALUE / factor) {
            return Long.MAX_VALUE;
        }
        long product = thousandths * factor;
        if (divisor == 1 && product % 1000 != 0) {
            return MALFORMED;
        }
        return Math.ceilDiv(product, 1000 * divisor);
    }

    private static boolean digits(String text, int most) {
        if (text.isEmpty() || text.length() > most) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }
}
