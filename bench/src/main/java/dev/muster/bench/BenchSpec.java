package dev.muster.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The fixed specification of about 1.2 KB that the benchmarks submit. */
final class BenchSpec {

    private BenchSpec() {}

    static byte[] bytes() {
        try (InputStream in = BenchSpec.class.getResourceAsStream("spec.json")) {
            if (in == null) {
                throw new BenchFailed("spec.json is missing from the class path");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
