package dev.muster.agent;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the supervisor appended to {@code state}, in the form that counts: a last line without its
 * end is not there, and a piece that a full disk cut is passed over or replaced by what follows.
 */
final class StateFile {

    static final String NAME = "state";

    private static final int BOOT_ID_LENGTH = 36;

    /** What is recorded of one number. */
    static final class Recorded {
        final int number;
        int starts;
        OptionalLong pid = OptionalLong.empty();

        /** When it began, in ticks since the machine did. */
        OptionalLong startTicks = OptionalLong.empty();

        OptionalInt exitCode = OptionalInt.empty();

        /** All its processes are dead, not only the first one. */
        boolean cleared;

        Recorded(int number) {
            this.number = number;
        }

        boolean ended() {
            return exitCode.isPresent();
        }

        /** Since it began; 0 if that is not known. */
        long ageNanos() throws IOException {
            return startTicks.isPresent() ? ProcessTable.ageNanos(startTicks.getAsLong()) : 0;
        }
    }

    private final SortedMap<Integer, Recorded> starts = new TreeMap<>();
    private boolean left;

    private StateFile() {}

    static StateFile read(Path control) throws IOException {
        StateFile state = new StateFile();
        String text = ControlFiles.read(control, NAME).orElse("");
        int end = text.lastIndexOf('\n');
        if (end >= 0) {
            text.substring(0, end).lines().forEach(state::apply);
        }
        return state;
    }

    Collection<Recorded> starts() {
        return starts.values();
    }

    /** Null if the number was not used. */
    @Nullable Recorded start(int number) {
        return starts.get(number);
    }

    /** The last number used, 0 if none. */
    int current() {
        return starts.isEmpty() ? 0 : starts.lastKey();
    }

    /** Whether the supervisor left as it was told to. */
    boolean left() {
        return left;
    }

    private void apply(String line) {
        String[] words = line.split(" ", -1);
        try {
            switch (words[0]) {
                case "claimed" -> recorded(words);
                case "started" -> {
                    OptionalLong pid = number(words[2]);
                    OptionalLong ticks = number(words[3]);
                    if (words[4].equals("-") || words[4].length() == BOOT_ID_LENGTH) {
                        Recorded start = recorded(words);
                        start.starts++;
                        start.pid = pid;
                        start.startTicks = ticks;
                    }
                }
                case "exited" -> {
                    OptionalInt code = OptionalInt.of(Integer.parseInt(words[2]));
                    recorded(words).exitCode = code;
                }
                case "cleared" -> recorded(words).cleared = true;
                case "left" -> left = true;
                default -> {
                    // the rest of a line that a full disk cut
                }
            }
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            return; // cut as well
        }
    }

    private static OptionalLong number(String word) {
        return word.equals("-") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(word));
    }

    private Recorded recorded(String[] words) {
        return starts.computeIfAbsent(Integer.valueOf(words[1]), Recorded::new);
    }
}
