package dev.muster.domain;

/** A node as the core knows it; what is used on it follows from the live grants. */
public record NodeSnapshot(NodeId node, NodeShape shape, boolean ready, boolean cordoned) {}
