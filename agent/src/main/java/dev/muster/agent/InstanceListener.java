package dev.muster.agent;

/**
 * Is told what becomes of an instance, on that instance's own thread, one event at a time and in
 * order. It may block briefly; what it throws is logged and otherwise ignored, so it must keep what
 * it needs itself or look at {@link InstanceAgent#observe()}.
 */
@FunctionalInterface
public interface InstanceListener {
    void observed(InstanceEvent event);
}
