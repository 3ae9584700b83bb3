package dev.muster.bench;

import java.util.ArrayList;
import java.util.List;

/** Runs a load generator in a process of its own and returns what it saw. */
final class GeneratorProcess {

    private GeneratorProcess() {}

    static LoadResult run(int port, String token, List<String> options) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "bench",
                                "load-generator",
                                "--port",
                                Integer.toString(port),
                                "--token",
                                token));
        arguments.addAll(options);
        try (ChildProcess generator =
                ChildProcess.java(
                        "dev.muster.bench.Main",
                        List.of("-Xmx512m", "-XX:+UseSerialGC"),
                        arguments)) {
            return LoadResult.parse(generator.line(line -> line.startsWith("{")));
        }
    }
}
