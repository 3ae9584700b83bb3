package dev.muster.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The addresses that a process listens on, by {@code /proc}. */
final class Listeners {
    private static final String LISTEN = "0A";

    private Listeners() {}

    static List<String> of(long pid) throws IOException {
        Set<String> own = new HashSet<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                try {
                    own.add(Files.readSymbolicLink(descriptor).toString());
                } catch (IOException _) {
                    // Closed meanwhile.
                }
            }
        }
        List<String> addresses = new ArrayList<>();
        for (String table : List.of("tcp", "tcp6")) {
            for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/net/" + table))) {
                String[] words = line.strip().split(" +", -1);
                if (words[3].equals(LISTEN) && own.contains("socket:[" + words[9] + "]")) {
                    addresses.add(address(words[1]));
                }
            }
        }
        return addresses.stream().sorted().toList();
    }

    // Hexadecimal and little-endian; IPv6 shows an IPv4 address in its last word.
    private static String address(String encoded) {
        String[] parts = encoded.split(":", -1);
        String host = parts[0].substring(parts[0].length() - 8);
        List<String> bytes = new ArrayList<>();
        for (int i = 6; i >= 0; i -= 2) {
            bytes.add(Integer.toString(Integer.parseInt(host.substring(i, i + 2), 16)));
        }
        return String.join(".", bytes) + ":" + Integer.parseInt(parts[1], 16);
    }
}
