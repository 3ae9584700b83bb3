package dev.muster.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** The limits on sizes and names that a source can be held to by parsing it alone. */
final class SourceRules {

    static final int MAIN_FILE_LINES = 500;
    static final int TEST_FILE_LINES = 800;
    static final int METHOD_LINES = 70;
    static final int PARAMETERS = 5;

    /** Words that say nothing of what a type is for. */
    private static final Pattern EMPTY_WORD =
            Pattern.compile("(Manager|Utils?|Helpers?|Impl|Common)(?![a-z])");

    private SourceRules() {}

    /**
     * What the source breaks, each as one sentence that begins with the place.
     *
     * @param name the path below the top of the repository
     */
    static List<String> violations(String name, String source) {
        List<String> violations = new ArrayList<>();
        boolean test = name.contains("src/test/");
        long lines = source.lines().count();
        int most = test ? TEST_FILE_LINES : MAIN_FILE_LINES;
        if (lines > most) {
            violations.add("%s has %d lines, %d at most".formatted(name, lines, most));
        }
        if (name.endsWith("/package-info.java") && !source.contains("@NullMarked")) {
            violations.add("%s does not say @NullMarked".formatted(name));
        }
        parse(name, source, violations);
        return violations;
    }

    private static void parse(String name, String source, List<String> violations) {
        var compiler = ToolProvider.getSystemJavaCompiler();
        List<JavaFileObject> sources = List.of(new InMemorySource(source));
        var task =
                (JavacTask)
                        compiler.getTask(null, null, d -> {}, List.of("-proc:none"), null, sources);
        try {
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                new Scanner(name, unit, positions, violations).scan(unit, null);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Scanner extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final String name;
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final List<String> violations;

        Scanner(
                String name,
                CompilationUnitTree unit,
                SourcePositions positions,
                List<String> violations) {
            this.name = name;
            this.unit = unit;
            this.positions = positions;
            this.violations = violations;
        }

        @Override
        public @Nullable Void visitClass(ClassTree tree, @Nullable Void unused) {
            if (EMPTY_WORD.matcher(tree.getSimpleName()).find()) {
                violations.add(
                        "%s: the name %s says nothing of what it is for"
                                .formatted(place(tree), tree.getSimpleName()));
            }
            return super.visitClass(tree, null);
        }

        @Override
        public @Nullable Void visitMethod(MethodTree tree, @Nullable Void unused) {
            long lines =
                    line(positions.getEndPosition(unit, tree))
                            - line(positions.getStartPosition(unit, tree))
                            + 1;
            if (lines > METHOD_LINES) {
                violations.add(
                        "%s: %s has %d lines, %d at most"
                                .formatted(place(tree), tree.getName(), lines, METHOD_LINES));
            }
            int parameters = tree.getParameters().size();
            if (parameters > PARAMETERS && !listsTheFieldsOfARow(tree)) {
                violations.add(
                        "%s: %s has %d parameters, %d at most"
                                .formatted(place(tree), tree.getName(), parameters, PARAMETERS));
            }
            return super.visitMethod(tree, null);
        }

        /** The constructor of a record or an enum has as many parameters as there are fields. */
        private boolean listsTheFieldsOfARow(MethodTree tree) {
            Tree.Kind owner = getCurrentPath().getParentPath().getLeaf().getKind();
            return tree.getReturnType() == null
                    && (owner == Tree.Kind.RECORD || owner == Tree.Kind.ENUM);
        }

        private String place(Tree tree) {
            return name + ":" + line(positions.getStartPosition(unit, tree));
        }

        private long line(long position) {
            return unit.getLineMap().getLineNumber(position);
        }
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
