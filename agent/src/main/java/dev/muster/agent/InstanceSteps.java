package dev.muster.agent;

import java.io.IOException;

final class InstanceSteps {
    InstanceSteps(InstancePlan plan, AgentSettings settings, Session session) {}

    long next(InstanceFacts facts) throws IOException, InterruptedException {
        return 1000;
    }

    void close() {}
}
