package dev.muster.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What holds for every object store; each implementation runs it. */
abstract class ObjectStoreContract {

    /** An empty store, or a bucket "b" of one that is empty. */
    abstract ObjectStore store() throws IOException;

    static ObjectLocation at(String key) {
        return new ObjectLocation("s3", "b", key);
    }

    static ObjectInfo write(ObjectStore store, String key, String content) throws IOException {
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        return store.write(at(key), new ByteArrayInputStream(bytes), bytes.length);
    }

    static String read(ObjectStore store, String key, long offset) throws IOException {
        try (InputStream in = store.read(at(key), offset)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void readsBackWhatWasWritten() throws IOException {
        ObjectStore store = store();
        ObjectInfo written = write(store, "a/b.txt", "content");
        assertThat(read(store, "a/b.txt", 0)).isEqualTo("content");
        assertThat(read(store, "a/b.txt", 4)).isEqualTo("ent");
        assertThat(read(store, "a/b.txt", 7)).isEmpty();
        assertThat(store.head(at("a/b.txt"))).contains(written);
        assertThat(written.size()).isEqualTo(7);
        assertThat(store.exists(at("a/b"))).isFalse();
        assertThat(store.exists(at("a/b.txt/c"))).isFalse();
    }

    @Test
    void givesAReplacedObjectAnotherEtag() throws IOException {
        ObjectStore store = store();
        ObjectInfo first = write(store, "k", "one");
        ObjectInfo second = write(store, "k", "two");
        assertThat(second.etag()).isNotEqualTo(first.etag());
        assertThat(read(store, "k", 0)).isEqualTo("two");
    }

    @Test
    void keepsWhatWasThereWhenAWriteBreaksOff() throws IOException {
        ObjectStore store = store();
        write(store, "k", "old");
        InputStream breaksOff =
                new FilterInputStream(new ByteArrayInputStream(new byte[1_000_000])) {
                    @Override
                    public int read(byte[] buffer, int offset, int length) throws IOException {
                        int n = super.read(buffer, offset, length);
                        if (n < 0) {
                            throw new IOException("the source broke off");
                        }
                        return n;
                    }
                };
        assertThatThrownBy(() -> store.write(at("k"), breaksOff, 2_000_000))
                .hasMessageContaining("the source broke off");
        assertThat(read(store, "k", 0)).isEqualTo("old");
        assertThatThrownBy(() -> store.write(at("new"), new ByteArrayInputStream(new byte[3]), 4))
                .isInstanceOf(IOException.class);
        assertThat(store.exists(at("new"))).isFalse();
        assertThat(keys(store, "", 1000)).containsExactly("k");
    }

    @Test
    void listsByPrefixInTheOrderOfBytesPageByPage() throws IOException {
        ObjectStore store = store();
        List<String> expected = new ArrayList<>();
        List<String> names =
                List.of("d-1", "d.txt", "d/a", "d/a-b", "d/a.b/c", "d/a/z", "d/b", "d0", "é", "😀");
        for (String name : names) {
            if (!name.equals("d/a")) {
                write(store, name, name);
                expected.add(name);
            }
        }
        expected.sort(FileListing.BY_UTF8);
        for (int limit : new int[] {1, 2, 3, 1000}) {
            assertThat(keys(store, "", limit)).isEqualTo(expected);
            assertThat(keys(store, "d/", limit))
                    .containsExactly("d/a-b", "d/a.b/c", "d/a/z", "d/b");
            assertThat(keys(store, "d/a", limit)).containsExactly("d/a-b", "d/a.b/c", "d/a/z");
        }
        assertThat(store.list(at("d/"), "", 4).objects()).hasSize(4);
        assertThat(keys(store, "none/", 10)).isEmpty();
    }

    @Test
    void listsEveryObjectOnceForAnyNamesAndPageSize() throws IOException {
        ObjectStore store = store();
        Random random = new Random(7);
        List<String> expected = new ArrayList<>();
        for (int n = 0; n < 200; n++) {
            StringBuilder key = new StringBuilder();
            for (int depth = random.nextInt(3); depth >= 0; depth--) {
                key.append("a-.0".charAt(random.nextInt(4))).append(random.nextInt(4)).append("d/");
            }
            key.append("f").append(n);
            write(store, key.toString(), "");
            expected.add(key.toString());
        }
        expected.sort(FileListing.BY_UTF8);
        assertThat(keys(store, "", 7)).isEqualTo(expected);
    }

    @Test
    void saysThatNothingLiesThere() throws IOException {
        ObjectStore store = store();
        assertThat(store.head(at("none"))).isEmpty();
        assertThatThrownBy(() -> store.read(at("none"), 0))
                .isInstanceOfSatisfying(
                        ObjectStoreException.class,
                        e ->
                                assertThat(e.reason())
                                        .isEqualTo(ObjectStoreException.Reason.NOT_FOUND))
                .hasMessageContaining("s3://b/none");
    }

    @Test
    void letsManyWritersReplaceOneObjectWithoutMixingThem() throws Exception {
        ObjectStore store = store();
        List<Thread> writers = new ArrayList<>();
        for (int n = 0; n < 8; n++) {
            String content = String.valueOf(n).repeat(300_000);
            writers.add(
                    Thread.ofVirtual()
                            .start(() -> {
                                try {
                                    write(store, "shared", content);
                                } catch (IOException e) {
                                    throw new IllegalStateException(e);
                                }
                            }));
        }
        for (Thread writer : writers) {
            writer.join();
        }
        String read = read(store, "shared", 0);
        assertThat(read).isEqualTo(read.substring(0, 1).repeat(300_000));
    }

    static List<String> keys(ObjectStore store, String prefix, int limit) throws IOException {
        List<String> keys = new ArrayList<>();
        String after = "";
        while (true) {
            ObjectPage page = store.list(at(prefix), after, limit);
            for (ObjectInfo object : page.objects()) {
                keys.add(object.location().key());
                after = object.location().key();
            }
            if (page.complete()) {
                return keys;
            }
        }
    }
}
