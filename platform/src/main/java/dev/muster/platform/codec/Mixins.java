package dev.muster.platform.codec;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.muster.domain.Ask;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.RecoveryState;
import dev.muster.domain.RestartPolicy;
import dev.muster.domain.Watch;

/**
 * Members that are left out while they say nothing: what has no part in restarts is written as it
 * was before there were any.
 */
final class Mixins {

    private Mixins() {}

    static JsonMapper.Builder addTo(JsonMapper.Builder mapper) {
        return mapper.addMixIn(Ask.class, OfAsk.class)
                .addMixIn(JobSnapshot.class, OfJob.class)
                .addMixIn(JobSnapshot.InstanceSnapshot.class, OfInstance.class);
    }

    interface OfAsk {
        @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = Unwatched.class)
        Watch watch();

        @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = NoRestarts.class)
        RestartPolicy restart();

        @JsonInclude(JsonInclude.Include.NON_DEFAULT)
        boolean preemptible();
    }

    interface OfJob {
        @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = NoIncidents.class)
        RecoveryState recovery();
    }

    interface OfInstance {
        @JsonInclude(JsonInclude.Include.NON_DEFAULT)
        boolean evidence();
    }

    /** Equal to the value that is left out: so Jackson asks a filter. */
    abstract static class LeftOut {
        private final Object value;

        LeftOut(Object value) {
            this.value = value;
        }

        @Override
        public boolean equals(Object other) {
            return value.equals(other);
        }

        @Override
        public int hashCode() {
            return value.hashCode();
        }
    }

    static final class Unwatched extends LeftOut {
        Unwatched() {
            super(Watch.DEFAULT);
        }
    }

    static final class NoRestarts extends LeftOut {
        NoRestarts() {
            super(RestartPolicy.OFF);
        }
    }

    static final class NoIncidents extends LeftOut {
        NoIncidents() {
            super(RecoveryState.NONE);
        }
    }
}
