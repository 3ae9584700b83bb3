package dev.muster.platform.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.domain.PoolId;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.observe.Health;
import dev.muster.testkit.TestDatabase;
import dev.muster.testkit.TestKafka;
import dev.muster.testkit.TestPostgres;

import io.vertx.core.Future;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

class ServiceRunnerIT {

    private final List<String> story = new CopyOnWriteArrayList<>();

    private final class Told implements Service {
        private final String role;
        private final Future<Void> start;

        Told(String role, Future<Void> start) {
            this.role = role;
            this.start = start;
        }

        @Override
        public String role() {
            return role;
        }

        @Override
        public Future<Void> start(ServiceContext context) {
            story.add("start " + role);
            return start;
        }

        @Override
        public Future<Void> stop() {
            story.add("stop " + role);
            return Future.failedFuture("a stop that fails stops nothing else");
        }
    }

    @Test
    void preparesWhatIsSharedAndStopsInReverse() {
        try (TestDatabase postgres = TestPostgres.shared().newDatabase()) {
            Settings settings = settings(postgres).with(PlatformSettings.POOLS, List.of("gold"));
            try (ServiceRunner runner = ServiceRunner.prepare(settings)) {
                assertThat(runner.context().pools().partition(new PoolId("gold"))).contains(1);
                assertThat(join(runner.context().health().statuses()))
                        .containsExactly(
                                new Health.Status("database", ""), new Health.Status("kafka", ""));
                runner.start(new Told("a", Future.succeededFuture()));
                runner.start(new Told("b", Future.succeededFuture()));
                Told broken = new Told("c", Future.failedFuture("port 1 is taken"));
                assertThatThrownBy(() -> runner.start(broken))
                        .isInstanceOf(ServiceFailed.class)
                        .hasMessage("c cannot start: port 1 is taken");
            }
        }
        assertThat(story)
                .containsExactly("start a", "start b", "start c", "stop c", "stop b", "stop a");
    }

    @Test
    void endsWithItsStatusAfterAFatalFailure() {
        try (TestDatabase postgres = TestPostgres.shared().newDatabase()) {
            ServiceRunner runner = ServiceRunner.prepare(settings(postgres));
            runner.start(new Told("a", Future.succeededFuture()));
            CompletableFuture<Integer> status = CompletableFuture.supplyAsync(runner::awaitEnd);
            runner.context().fatal().accept(new IllegalStateException("an invariant is broken"));
            assertThat(status.join()).isEqualTo(70);
            assertThat(story).containsExactly("start a", "stop a");
        }
    }

    @Test
    void saysInOneSentenceThatPostgresIsNotThere() {
        Settings settings = Settings.defaults().with(PlatformSettings.SQL_PORT, 1);
        assertThatThrownBy(() -> ServiceRunner.prepare(settings))
                .isInstanceOf(ServiceFailed.class)
                .hasMessageStartingWith("the database cannot start: ")
                .hasMessageNotContaining("\n");
    }

    private static Settings settings(TestDatabase postgres) {
        Map<String, String> overrides = new HashMap<>(postgres.settings());
        overrides.putAll(TestKafka.shared().settings());
        return Settings.load(Path.of("none"), Map.of(), overrides);
    }

    private static <T> T join(Future<T> future) {
        return future.toCompletionStage().toCompletableFuture().join();
    }
}
