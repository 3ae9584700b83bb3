package dev.muster.simulation;

/** Leaves out one fault after the other, as long as the same invariant still breaks. */
final class Minimiser {

    private Minimiser() {}

    /**
     * @param plant makes the planted bug anew for each run
     */
    static Run.Result minimise(Run.Result failed, Plants plant) {
        Run.Result smallest = failed;
        for (int i = smallest.plan().faults().size() - 1; i >= 0; i--) {
            Run.Result fewer =
                    Run.of(failed.seed(), smallest.plan().without(i), plant.make(), null);
            if (fewer.invariant().equals(failed.invariant())) {
                smallest = fewer;
            }
        }
        return smallest;
    }
}
