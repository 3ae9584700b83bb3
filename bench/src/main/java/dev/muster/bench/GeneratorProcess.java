package dev.muster.bench;

import java.util.ArrayList;
import java.util.List;

/** Runs a load generator in a process of its own and returns what it saw. */
final class GeneratorProcess {

    private GeneratorProcess() {}

    /** For thousands of requests a second over a minute or more. */
    static LoadResult run(int port, String token, List<String> options) {
        return run(port, token, options, List.of());
    }

    /**
     * For hundreds of requests a second over seconds: what optimizing its code would cost the
     * machine is more than it saves.
     */
    static LoadResult runBriefly(int port, String token, List<String> options) {
        return run(port, token, options, List.of("-XX:TieredStopAtLevel=1"));
    }

    private static LoadResult run(
            int port, String token, List<String> options, List<String> jvmOptions) {
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
        List<String> jvm = new ArrayList<>(List.of("-Xmx512m", "-XX:+UseSerialGC"));
        jvm.addAll(jvmOptions);
        try (ChildProcess generator = ChildProcess.java("dev.muster.bench.Main", jvm, arguments)) {
            return LoadResult.parse(generator.line(line -> line.startsWith("{")));
        }
    }
}
