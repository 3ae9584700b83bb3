package dev.muster.agent;

import dev.muster.storage.ObjectLocation;

/**
 * An output of the job.
 *
 * @param target folder that its files are carried to
 * @param preDownload whether what lies there already is brought in before the command starts
 */
public record OutputPlan(String name, ObjectLocation target, Access access, boolean preDownload) {}
