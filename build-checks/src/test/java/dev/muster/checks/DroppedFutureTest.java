package dev.muster.checks;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.BaseErrorProneJavaCompiler;
import com.google.errorprone.bugpatterns.BugChecker;
import com.google.errorprone.scanner.ScannerSupplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;

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
        return errorsIn(source.toString()).stream()
                .peek(e -> assertThat(e.getMessage(Locale.ROOT)).contains("[DroppedFuture]"))
                .map(e -> statements.get((int) e.getLineNumber() - 2))
                .toList();
    }

    private List<Diagnostic<? extends JavaFileObject>> errorsIn(String source) {
        var compiler =
                new BaseErrorProneJavaCompiler(
                        ScannerSupplier.fromBugCheckerClasses(DroppedFuture.class));
        var diagnostics = new DiagnosticCollector<JavaFileObject>();
        List<String> options =
                List.of("-d", classes.toString(), "-proc:none", "--should-stop=ifError=FLOW");
        List<InMemorySource> sources = List.of(new InMemorySource(source));
        compiler.getTask(new StringWriter(), null, diagnostics, options, null, sources).call();
        return diagnostics.getDiagnostics().stream()
                .filter(d -> d.getKind() == Diagnostic.Kind.ERROR)
                .toList();
    }

    private static final class InMemorySource extends SimpleJavaFileObject {
        private final String text;

        InMemorySource(String text) {
            super(URI.create("string:///Subject.java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
