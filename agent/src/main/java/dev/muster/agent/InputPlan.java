package dev.muster.agent;

import dev.muster.storage.ObjectLocation;

/**
 * An input of the job.
 *
 * @param source one object, or a folder of them
 * @param limited whether the limits of {@link DataLimits} hold; not so for datasets
 */
public record InputPlan(String name, ObjectLocation source, Access access, boolean limited) {}
