package dev.muster.architecture;

import dev.muster.checks.SourceFormat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The files of the repository that this build is part of. */
final class Repository {

    private Repository() {}

    /** Its top folder, found upwards from where the tests run. */
    static Path root() {
        for (Path dir = Path.of("").toAbsolutePath(); dir != null; dir = dir.getParent()) {
            if (Files.exists(dir.resolve("muster")) && Files.exists(dir.resolve("pom.xml"))) {
                return dir;
            }
        }
        throw new IllegalStateException("the tests run outside the repository");
    }

    static List<Path> sources() {
        return files().stream().filter(file -> file.toString().endsWith(".java")).toList();
    }

    /** All files but those that a build or a tool made. */
    static List<Path> files() {
        try {
            return SourceFormat.filesBelow(root());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The path below the top folder, as it stands in messages. */
    static String name(Path file) {
        return root().relativize(file).toString();
    }
}
