package dev.muster.core.state;

import dev.muster.domain.Event;

import java.util.ArrayList;
import java.util.List;

/** Events of one batch: each is true from the moment it is emitted. */
public final class Emission {

    private final PoolState state;
    private final long now;
    private final List<Event> events = new ArrayList<>();

    public Emission(PoolState state, long now) {
        this.state = state;
        this.now = now;
    }

    /** Time of the batch, which its events carry. */
    public long now() {
        return now;
    }

    public int size() {
        return events.size();
    }

    public void emit(Event event) {
        state.apply(now, event);
        events.add(event);
    }

    public List<Event> events() {
        return List.copyOf(events);
    }
}
