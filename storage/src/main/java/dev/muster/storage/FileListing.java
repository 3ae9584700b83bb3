package dev.muster.storage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * One page of the files below a bucket's directory, in the order of a bucket's keys. Folders that
 * lie before the page or outside the prefix are not entered; memory is bounded by the page and the
 * largest folder on the way.
 */
final class FileListing {

    /** As object stores sort: by bytes, not by UTF-16 units. */
    static final Comparator<String> BY_UTF8 =
            (a, b) ->
                    Arrays.compareUnsigned(
                            a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

    private record Entry(String key, Path path, BasicFileAttributes attributes) {}

    private final Path directory;
    private final ObjectLocation prefix;
    private final String after;
    private final int limit;
    private final List<ObjectInfo> found = new ArrayList<>();

    FileListing(Path directory, ObjectLocation prefix, String after, int limit) {
        this.directory = directory;
        this.prefix = prefix;
        this.after = after;
        this.limit = limit;
    }

    ObjectPage page() throws IOException {
        boolean complete = visit(directory, "");
        return new ObjectPage(found, complete);
    }

    /** Whether everything below was visited, i.e. the page did not fill up before. */
    private boolean visit(Path folder, String folderKey) throws IOException {
        for (Entry entry : entries(folder, folderKey)) {
            if (entry.attributes().isDirectory()) {
                if (!visit(entry.path(), entry.key())) {
                    return false;
                }
            } else if (found.size() == limit) {
                return false;
            } else {
                found.add(
                        FileObjectStore.info(
                                new ObjectLocation(prefix.scheme(), prefix.bucket(), entry.key()),
                                entry.attributes()));
            }
        }
        return true;
    }

    private List<Entry> entries(Path folder, String folderKey) throws IOException {
        if (Files.isSymbolicLink(folder)) {
            return List.of();
        }
        List<Entry> entries = new ArrayList<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(folder)) {
            for (Path child : children) {
                addIfWanted(child, folderKey, entries);
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of(); // no such bucket, or the folder went away: nothing to list
        }
        entries.sort(Comparator.comparing(Entry::key, BY_UTF8));
        return entries;
    }

    private void addIfWanted(Path child, String folderKey, List<Entry> entries) throws IOException {
        BasicFileAttributes attributes;
        try {
            attributes =
                    Files.readAttributes(
                            child, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return;
        }
        String name = folderKey + child.getFileName();
        if (attributes.isDirectory()) {
            String key = name + "/";
            boolean mayHold = key.startsWith(prefix.key()) || prefix.key().startsWith(key);
            // every key below begins with this one: all are passed if it is, and after is not below
            boolean passed = !after.startsWith(key) && BY_UTF8.compare(key, after) < 0;
            if (mayHold && !passed) {
                entries.add(new Entry(key, child, attributes));
            }
        } else if (attributes.isRegularFile()
                && ObjectLocation.isKey(name)
                && name.startsWith(prefix.key())
                && BY_UTF8.compare(name, after) > 0) {
            entries.add(new Entry(name, child, attributes));
        }
    }
}
