package dev.muster.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

class FileObjectStoreTest extends ObjectStoreContract {

    @TempDir Path root;

    @Override
    ObjectStore store() throws IOException {
        return new FileObjectStore(root);
    }

    @Test
    void keepsObjectsAsFilesThatAUserCanLookAt() throws IOException {
        write(store(), "train/x.txt", "text");
        assertThat(root.resolve("b/train/x.txt")).hasContent("text");
        try (Stream<Path> uploads = Files.list(root.resolve(".uploads"))) {
            assertThat(uploads).isEmpty();
        }
    }

    @Test
    void followsNoLinkOutOfItsRoot(@TempDir Path outside) throws IOException {
        ObjectStore store = store();
        Files.writeString(outside.resolve("secret"), "secret");
        Files.createDirectories(root.resolve("b"));
        Files.createSymbolicLink(root.resolve("b/folder"), outside);
        Files.createSymbolicLink(root.resolve("b/file"), outside.resolve("secret"));
        assertThat(keys(store, "", 10)).isEmpty();
        for (String key : new String[] {"folder/secret", "file"}) {
            assertThatThrownBy(() -> store.read(at(key), 0)).hasMessageContaining("links");
            assertThatThrownBy(() -> store.write(at(key), new ByteArrayInputStream(new byte[1]), 1))
                    .hasMessageContaining("links");
        }
        assertThat(outside.resolve("secret")).hasContent("secret");
    }

    @Test
    void refusesAnObjectBelowAnObject() throws IOException {
        ObjectStore store = store();
        write(store, "a", "file");
        assertThatThrownBy(() -> write(store, "a/b", "below"))
                .isInstanceOf(ObjectStoreException.class)
                .hasMessageContaining("s3://b/a/b cannot be written");
    }
}
