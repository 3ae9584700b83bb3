package dev.muster.executor;

import dev.muster.domain.NodeId;
import dev.muster.domain.NodeShape;

/** A node that a backend offers. */
record BackendNode(NodeId node, NodeShape shape, boolean ready) {}
