package dev.muster.checks;

import com.google.errorprone.BaseErrorProneJavaCompiler;
import com.google.errorprone.bugpatterns.BugChecker;
import com.google.errorprone.scanner.ScannerSupplier;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;

/** Runs the compiler with one check on a source. */
final class Compilation {

    private Compilation() {}

    /** The errors that the compiler reports, in the order of the source. */
    static List<Diagnostic<? extends JavaFileObject>> errorsIn(
            String source, Class<? extends BugChecker> check, Path classes) {
        var compiler = new BaseErrorProneJavaCompiler(ScannerSupplier.fromBugCheckerClasses(check));
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
