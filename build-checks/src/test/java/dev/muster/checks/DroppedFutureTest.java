package dev.muster.checks;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.bugpatterns.BugChecker;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;

class DroppedFutureTest {

    @TempDir Path classes;

    @Test
    void reportsAFutureWhoseFailureNobodySees() {
        List<String> statements =
                List.of(
                        "vertx.close();",
                        "vertx.close().map(x -> 1);",
                        "vertx.close().onSuccess(x -> {});",
                        "Runnable r = () -> vertx.close(); r.run();",
                        "Runnable r = vertx::close; r.run();",
                        "vertx.setTimer(1, id -> vertx.close());",
                        "vertx.close().onFailure(x -> {}).compose(x -> vertx.close());");
        assertThat(reportedAmong(statements)).isEqualTo(statements);
    }

    @Test
    void acceptsAFutureThatIsHandledOrHandedOn() {
        List<String> statements =
                List.of(
                        "vertx.close().onFailure(x -> {});",
                        "vertx.close().onComplete(x -> {});",
                        "vertx.close().onFailure(x -> {}).onSuccess(x -> {});",
                        "vertx.close().onSuccess(x -> {}).onFailure(x -> {});",
                        "Future<Void> closed = vertx.close(); System.out.println(closed);",
                        "Supplier<Future<Void>> s = () -> vertx.close(); s.get().onFailure(x ->"
                                + " {});",
                        "vertx.setTimer(1, id -> {});");
        assertThat(reportedAmong(statements)).isEmpty();
    }

    @Test
    void isFoundByTheCompilerAsAService() {
        assertThat(ServiceLoader.load(BugChecker.class))
                .hasAtLeastOneElementOfType(DroppedFuture.class);
    }

    /** Compiles the statements, each in a method on a line of its own; returns those reported. */
    private List<String> reportedAmong(List<String> statements) {
        var source = new StringBuilder("import io.vertx.core.*; import java.util.function.*;");
        source.append("class Subject {");
        for (int i = 0; i < statements.size(); i++) {
            source.append("\nvoid act").append(i).append("(Vertx vertx) { ");
            source.append(statements.get(i)).append(" }");
        }
        source.append("\n}");
        return Compilation.errorsIn(source.toString(), DroppedFuture.class, classes).stream()
                .peek(e -> assertThat(e.getMessage(Locale.ROOT)).contains("[DroppedFuture]"))
                .map(e -> statements.get((int) e.getLineNumber() - 2))
                .toList();
    }
}
