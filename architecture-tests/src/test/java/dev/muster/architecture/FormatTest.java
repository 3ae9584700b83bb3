package dev.muster.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.googlejavaformat.java.FormatterException;

import dev.muster.checks.SourceFormat;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;

class FormatTest {

    private final SourceFormat format = new SourceFormat();

    @Test
    void everySourceIsFormatted() {
        assertThat(Repository.sources())
                .as("sources that `./muster format` would change")
                .isNotEmpty()
                .filteredOn(file -> !isFormatted(Repository.read(file)))
                .map(Repository::name)
                .isEmpty();
    }

    @Test
    void seesASourceThatIsNotFormatted() {
        assertThat(isFormatted("class A {\n    int b;\n}\n")).isTrue();
        assertThat(isFormatted("class A {\n  int b;\n}\n")).isFalse();
        assertThat(isFormatted("import java.util.List;\n\nclass A {}\n")).isFalse();
        assertThat(isFormatted("no Java at all")).isFalse();
    }

    @Test
    void findsThisSource() {
        assertThat(Repository.sources()).contains(thisSource());
    }

    private static Path thisSource() {
        return Repository.root()
                .resolve(
                        "architecture-tests/src/test/java/dev/muster/architecture/FormatTest.java");
    }

    private boolean isFormatted(String source) {
        try {
            return format.formatted(source).equals(source);
        } catch (FormatterException e) {
            return false;
        }
    }
}
