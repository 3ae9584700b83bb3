package dev.muster.core.cycle;

/**
 * Where blocked classes take room from running jobs: a plan is whole, minimal and committed at once
 * or not at all (S08, S09). Only an operator preempts so far, so there never is a plan.
 */
final class Preempt {

    void run(Blocked blocked) {}
}
