package dev.muster.executor;

import dev.muster.domain.JobId;
import dev.muster.domain.JobSpec;

/** All that a backend needs to make the instances of an attempt. */
public record Grant(JobId job, int attempt, JobSpec spec) {}
