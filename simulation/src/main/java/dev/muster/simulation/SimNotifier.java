package dev.muster.simulation;

final class SimNotifier extends SimProcess {
    SimNotifier(World world, String name) {
        super(world, name);
    }

    @Override
    void begin() {}
}
