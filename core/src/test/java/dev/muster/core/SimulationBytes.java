package dev.muster.core;

import java.util.HexFormat;

/** Prints the hash of the journal that some seeds lead to: equal in any JVM. */
final class SimulationBytes {

    private SimulationBytes() {}

    static String of(long firstSeed, int seeds) {
        StringBuilder hashes = new StringBuilder();
        for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
            Simulation simulation = seed % 2 == 0 ? new Simulation(seed) : Simulation.storm(seed);
            simulation.run(60);
            hashes.append(HexFormat.of().formatHex(simulation.journalHash()))
                    .append(' ')
                    .append(HexFormat.of().formatHex(simulation.core.stateHash()))
                    .append('\n');
        }
        return hashes.toString();
    }

    public static void main(String[] args) {
        System.out.print(of(Long.parseLong(args[0]), Integer.parseInt(args[1])));
    }
}
