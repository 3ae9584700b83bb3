package dev.muster.executor;

import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;

/**
 * Where instances lie on this machine: {@code <root>/<job>/<attempt>/<index>/<incarnation>}. An
 * attempt whose end was seen and dealt with holds the file {@code ended}, whose age is the age of
 * that end.
 *
 * @param root absolute, without links
 */
record InstanceTree(Path root) {

    private static final String ENDED = "ended";
    private static final String DOOMED = "deleted-";

    /** An attempt with files on this machine. */
    record Attempt(JobId job, int number) {}

    Path attempt(JobId job, int attempt) {
        return root.resolve(job.toString()).resolve(Integer.toString(attempt));
    }

    Path instance(InstanceRef instance) {
        return attempt(instance.job(), instance.attempt())
                .resolve(Integer.toString(instance.index()))
                .resolve(Integer.toString(instance.incarnation()));
    }

    /** All attempts, ended ones included. */
    List<Attempt> attempts() throws IOException {
        List<Attempt> found = new ArrayList<>();
        for (Path job : children(root)) {
            JobId id = jobOf(job);
            if (id != null) {
                for (int number : numbers(job, 1)) {
                    found.add(new Attempt(id, number));
                }
            }
        }
        return found;
    }

    /** Instances of an attempt that have a directory, in order of index and incarnation. */
    List<InstanceRef> instances(Attempt attempt) throws IOException {
        List<InstanceRef> found = new ArrayList<>();
        Path directory = attempt(attempt.job, attempt.number);
        for (int index : numbers(directory, 0)) {
            for (int incarnation : numbers(directory.resolve(Integer.toString(index)), 1)) {
                found.add(new InstanceRef(attempt.job, attempt.number, index, incarnation));
            }
        }
        return found;
    }

    /** The newest incarnation that has a directory. */
    Optional<InstanceRef> newest(JobId job, int attempt, int index) throws IOException {
        TreeSet<Integer> incarnations =
                numbers(attempt(job, attempt).resolve(Integer.toString(index)), 1);
        return incarnations.isEmpty()
                ? Optional.empty()
                : Optional.of(new InstanceRef(job, attempt, index, incarnations.last()));
    }

    boolean hasEnded(Attempt attempt) {
        return Files.exists(attempt(attempt.job, attempt.number).resolve(ENDED));
    }

    /** When the end was dealt with, in milliseconds since 1970. */
    long endedAtMillis(Attempt attempt) throws IOException {
        return Files.getLastModifiedTime(attempt(attempt.job, attempt.number).resolve(ENDED))
                .toMillis();
    }

    void markEnded(Attempt attempt) throws IOException {
        Path directory = attempt(attempt.job, attempt.number);
        if (Files.isDirectory(directory)) {
            Path next = directory.resolve(ENDED + ".new");
            Files.writeString(next, "");
            Files.move(next, directory.resolve(ENDED), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** Sets an attempt aside in one step, so that a half deleted one never looks alive. */
    Path doom(Attempt attempt) throws IOException {
        Path directory = attempt(attempt.job, attempt.number);
        Path doomed = directory.resolveSibling(DOOMED + attempt.number);
        return Files.move(directory, doomed);
    }

    /** What was set aside and not deleted yet. */
    List<Path> doomed() throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path job : children(root)) {
            for (Path child : children(job)) {
                if (String.valueOf(child.getFileName()).startsWith(DOOMED)) {
                    found.add(child);
                }
            }
        }
        return found;
    }

    private static @Nullable JobId jobOf(Path directory) {
        try {
            return JobId.parse(String.valueOf(directory.getFileName()));
        } catch (IllegalArgumentException e) {
            return null; // not ours
        }
    }

    private static TreeSet<Integer> numbers(Path directory, int least) throws IOException {
        TreeSet<Integer> found = new TreeSet<>();
        for (Path child : children(directory)) {
            OptionalInt number = number(String.valueOf(child.getFileName()));
            if (number.isPresent() && number.getAsInt() >= least) {
                found.add(number.getAsInt());
            }
        }
        return found;
    }

    private static OptionalInt number(String name) {
        return name.matches("0|[1-9][0-9]{0,8}")
                ? OptionalInt.of(Integer.parseInt(name))
                : OptionalInt.empty();
    }

    private static List<Path> children(Path directory) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            for (Path child : stream) {
                if (Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS)) {
                    found.add(child);
                }
            }
        } catch (NoSuchFileException e) {
            return List.of();
        }
        return found;
    }
}
