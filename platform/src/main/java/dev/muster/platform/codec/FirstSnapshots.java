package dev.muster.platform.codec;

import com.fasterxml.jackson.databind.ObjectReader;
import com.github.luben.zstd.ZstdInputStream;

import dev.muster.domain.PoolSnapshot;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;

/** Snapshots of formats 1 and 2, zstd of JSON: read for ever, written no more. */
final class FirstSnapshots {

    private static final ObjectReader READER = Json.json().readerFor(PoolSnapshot.class);

    private FirstSnapshots() {}

    /**
     * @param beginning what was taken from the source already
     * @throws Malformed if it is none
     */
    static PoolSnapshot read(byte[] beginning, InputStream source) {
        InputStream all = new SequenceInputStream(new ByteArrayInputStream(beginning), source);
        try (ZstdInputStream unpacked = new ZstdInputStream(all)) {
            return READER.readValue(unpacked);
        } catch (IOException e) {
            throw new Malformed("a snapshot", e);
        }
    }
}
