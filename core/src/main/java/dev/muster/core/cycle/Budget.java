package dev.muster.core.cycle;

import dev.muster.core.state.Emission;
import dev.muster.domain.Event;

/** Where a cycle's events go, up to a bound. */
final class Budget {

    private final Emission out;
    private final int end;

    Budget(Emission out, int events) {
        this.out = out;
        this.end = out.size() + events;
    }

    boolean spent() {
        return out.size() >= end;
    }

    void emit(Event event) {
        out.emit(event);
    }
}
