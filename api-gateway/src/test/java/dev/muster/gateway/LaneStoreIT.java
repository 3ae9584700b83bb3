package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.domain.LaneId;
import dev.muster.platform.sql.Database;

import io.vertx.core.Future;
import io.vertx.core.Vertx;

import org.junit.jupiter.api.Test;

import java.util.UUID;

class LaneStoreIT {

    private static final LaneId LANE = new LaneId("gateway/g/public");

    private static <T> T get(Future<T> future) {
        return future.toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void aLateTakeOfAProcessThatIsGoneLeavesTheLaneToItsSuccessor() throws Exception {
        Vertx vertx = Vertx.vertx();
        GatewayFixture fixture = new GatewayFixture();
        Database database = Database.open(vertx, fixture.settings());
        try {
            get(database.migrate("gateway"));
            LaneStore gone = new LaneStore(database, LANE, "public", UUID.randomUUID());
            LaneStore successor = new LaneStore(database, LANE, "public", UUID.randomUUID());
            for (int life = 1; life <= 2; life++) {
                long seen = get(gone.epoch());
                LaneStore.Head head = get(successor.takeOver());
                assertThat(head.epoch()).isEqualTo(seen + 1);

                assertThatThrownBy(() -> get(gone.take(seen)))
                        .hasCauseInstanceOf(LaneStore.Fenced.class);

                // fails where another one owns the lane
                assertThat(get(successor.resolve()).epoch()).isEqualTo(head.epoch() + 1);
            }
            get(gone.close());
            get(successor.close());
        } finally {
            get(database.close());
            get(vertx.close());
            fixture.close();
        }
    }
}
