package dev.muster.agent.planted;

import io.vertx.core.Vertx;

/** An agent that has grown; the rules are tried on it. */
public interface ServesHttp {

    /** Needs Vert.x for it. */
    static boolean serve(Vertx vertx) {
        return vertx.isClustered();
    }
}
