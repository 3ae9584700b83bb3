package dev.muster.checks;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.JavaFormatterOptions;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The one format of this repository's Java sources: google-java-format in its AOSP style. A test of
 * the build holds it; {@code ./muster format} applies it.
 */
public final class SourceFormat {

    private static final Set<String> NOT_OURS =
            Set.of("target", ".git", ".muster", ".idea", "node_modules");

    private final Formatter formatter =
            new Formatter(
                    JavaFormatterOptions.builder().style(JavaFormatterOptions.Style.AOSP).build());

    /** Ready for any number of sources. */
    public SourceFormat() {}

    /**
     * Formats every source below the folders given.
     *
     * @throws IOException when a source cannot be read or written
     */
    public static void main(String[] folders) throws IOException {
        SourceFormat format = new SourceFormat();
        int changed = 0;
        for (String folder : folders) {
            for (Path file : sourcesBelow(Path.of(folder))) {
                changed += format.apply(file) ? 1 : 0;
            }
        }
        System.err.println(changed + " files formatted");
    }

    private boolean apply(Path file) throws IOException {
        String source = Files.readString(file);
        try {
            String formatted = formatted(source);
            if (formatted.equals(source)) {
                return false;
            }
            Files.writeString(file, formatted);
            System.err.println("formatted " + file);
            return true;
        } catch (FormatterException e) {
            System.err.println("left as it is: " + file + ":" + e.getMessage());
            return false;
        }
    }

    /**
     * The Java sources below a folder, build output left out, in the order of their paths.
     *
     * @throws IOException when a folder cannot be read
     */
    public static List<Path> sourcesBelow(Path root) throws IOException {
        return filesBelow(root).stream().filter(f -> nameOf(f).endsWith(".java")).toList();
    }

    /**
     * All files below a folder, build output left out, in the order of their paths.
     *
     * @throws IOException when a folder cannot be read
     */
    public static List<Path> filesBelow(Path root) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes a) {
                        return !dir.equals(root) && NOT_OURS.contains(nameOf(dir))
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes a) {
                        // .git is a file in a second work tree
                        if (a.isRegularFile() && !NOT_OURS.contains(nameOf(file))) {
                            found.add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        found.sort(null);
        return found;
    }

    private static String nameOf(Path path) {
        return String.valueOf(path.getFileName());
    }

    /**
     * The source as it should be.
     *
     * @throws FormatterException when it is not Java
     */
    public String formatted(String source) throws FormatterException {
        return formatter.formatSourceAndFixImports(source);
    }
}
