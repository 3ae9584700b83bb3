package dev.muster.checks;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.bugpatterns.BugChecker;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;

class DefaultOverSealedTypeTest {

    private static final String TYPES =
            "sealed interface S permits A, B {} record A() implements S {} record B() implements S"
                    + " {} enum E { X, Y { int n() { return 1; } }; int n() { return 0; } } class"
                    + " Subject { ";

    @TempDir Path classes;

    @Test
    void reportsADefaultInASwitchOverASealedType() {
        assertThat(errorsIn("int f(S s) { return switch (s) { case A() -> 1; default -> 2; }; }"))
                .singleElement()
                .asString()
                .contains("[DefaultOverSealedType]");
        assertThat(errorsIn("void f(S s) { switch (s) { case A() -> {} default -> {} } }"))
                .hasSize(1);
        assertThat(errorsIn("void f(S s) { switch (s) { case null, default -> {} } }")).hasSize(1);
    }

    @Test
    void acceptsASwitchThatNamesEverySubtypeOrIsOverAnOpenType() {
        assertThat(
                        errorsIn(
                                "int f(S s) { return switch (s) { case A() -> 1; case B() -> 2; };"
                                    + " }int g(Object o) { return switch (o) { case A() -> 1;"
                                    + " default -> 2; }; }int h(E e) { return switch (e) { case X"
                                    + " -> 1; default -> 2; }; }"))
                .isEmpty();
    }

    @Test
    void isFoundByTheCompilerAsAService() {
        assertThat(ServiceLoader.load(BugChecker.class))
                .hasAtLeastOneElementOfType(DefaultOverSealedType.class);
    }

    private List<String> errorsIn(String members) {
        return Compilation.errorsIn(TYPES + members + " }", DefaultOverSealedType.class, classes)
                .stream()
                .map(e -> e.getMessage(Locale.ROOT))
                .toList();
    }
}
