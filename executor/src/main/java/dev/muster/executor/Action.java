package dev.muster.executor;

import dev.muster.domain.InstanceRef;
import dev.muster.domain.JobId;

/** One step from what is observed towards what is desired. */
sealed interface Action {

    /** The instance does not exist and is to be made. */
    record Make(InstanceRef instance, InstanceOrder order) implements Action {}

    /** The instance exists and is to be brought further. */
    record Raise(InstanceRef instance, InstanceOrder order) implements Action {}

    /**
     * Nothing exists of an instance that is past being made: it is reported gone.
     *
     * @param outputsLost that its end was under way, which carries its outputs out
     */
    record DeclareGone(InstanceRef instance, boolean outputsLost) implements Action {}

    /** The attempt has ended: what is left of it is killed, its files await their retention. */
    record Release(JobId job, int attempt) implements Action {}
}
