package dev.muster.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

class SourceRulesTest {

    /** Paths and hosts of one workplace, put together here so that this file does not name them. */
    private static final Pattern ONE_MACHINE =
            Pattern.compile(
                    "/"
                            + "work/(main|wt|shared|notes)|/"
                            + "root/|repo1?\\.maven\\."
                            + "(apache|org)");

    @Test
    void everySourceKeepsToTheSizesAndNames() {
        Map<String, String> sources = new LinkedHashMap<>();
        Repository.sources().forEach(f -> sources.put(Repository.name(f), Repository.read(f)));
        assertThat(SourceRules.violations(sources)).isEmpty();
    }

    @Test
    void everyPackageOfMainCodeSaysThatNothingIsNull() {
        assertThat(Repository.sources())
                .filteredOn(file -> file.toString().contains("/src/main/"))
                .map(Path::getParent)
                .filteredOn(dir -> !Files.exists(dir.resolve("package-info.java")))
                .isEmpty();
    }

    @Test
    void noFileNamesAPathOfOneMachine() {
        assertThat(Repository.files())
                .filteredOn(SourceRulesTest::namesOneMachine)
                .map(Repository::name)
                .isEmpty();
    }

    @Test
    void seesAFileThatIsTooLong() {
        String source = "class A {\n" + "    // more\n".repeat(SourceRules.MAIN_FILE_LINES) + "}\n";
        assertThat(violations(source))
                .containsExactly("a/src/main/java/A.java has 502 lines, 500 at most");
        assertThat(violations("a/src/test/java/A.java", source)).isEmpty();
    }

    @Test
    void seesAMethodThatIsTooLong() {
        String body = "        act();\n".repeat(SourceRules.METHOD_LINES - 1);
        assertThat(violations("class A {\n    void act() {\n" + body + "    }\n}\n"))
                .containsExactly("a/src/main/java/A.java:2: act has 71 lines, 70 at most");
        String table = "@Cases(\n" + "1 +\n".repeat(SourceRules.METHOD_LINES) + "1)\n";
        assertThat(violations("class A {\n" + table + "void act() {}\n}\n")).isEmpty();
        assertThat(violations("class A {\n" + table + "A() {}\n}\n")).isEmpty();
    }

    @Test
    void seesTooManyParametersButForTheRowsOfATable() {
        String six = "int a, int b, int c, int d, int e, int f";
        assertThat(violations("class A { void act(" + six + ") {} }"))
                .containsExactly("a/src/main/java/A.java:1: act has 6 parameters, 5 at most");
        assertThat(violations("class A { A(" + six + ") {} }")).hasSize(1);
        assertThat(violations("record A(" + six + ") { A(" + six + ") { } }")).isEmpty();
        assertThat(violations("record A(" + six + ") { A { } }")).isEmpty();
        assertThat(violations("enum A { ; A(" + six + ") {} }")).isEmpty();
        assertThat(violations("enum A { ; void act(" + six + ") {} }")).hasSize(1);
    }

    @Test
    void seesANameThatSaysNothing() {
        for (String name :
                List.of("JobManager", "StringUtils", "HelperFactory", "StoreImpl", "CommonParts")) {
            assertThat(violations("interface Outer { class " + name + " {} }")).hasSize(1);
        }
        for (String name : List.of("Utilisation", "Implied", "ManageritisCure", "Job")) {
            assertThat(violations("class " + name + " {}")).isEmpty();
        }
    }

    @Test
    void seesAPackageThatIsNotNullMarked() {
        assertThat(violations("a/src/main/java/package-info.java", "package a;"))
                .containsExactly("a/src/main/java/package-info.java does not say @NullMarked");
    }

    private static List<String> violations(String source) {
        return violations("a/src/main/java/A.java", source);
    }

    private static List<String> violations(String name, String source) {
        return SourceRules.violations(Map.of(name, source));
    }

    private static boolean namesOneMachine(Path file) {
        try {
            return ONE_MACHINE.matcher(Files.readString(file)).find();
        } catch (MalformedInputException e) {
            return false; // not text
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
