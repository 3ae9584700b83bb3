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
import java.util.Map;
import java.util.regex.Pattern;

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
     * What the sources break, each as one sentence that begins with the place.
     *
     * @param sources the text of each by its path below the top of the repository
     */
    static List<String> violations(Map<String, String> sources) {
        List<String> violations = new ArrayList<>();
        sources.forEach((name, source) -> checkFile(name, source, violations));
        List<InMemorySource> files =
                sources.entrySet().stream()
                        .map(e -> new InMemorySource(e.getKey(), e.getValue()))
                        .toList();
        var compiler = ToolProvider.getSystemJavaCompiler();
        var options = List.of("-proc:none");
        var task = (JavacTask) compiler.getTask(null, null, d -> {}, options, null, files);
        try {
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                new Scanner(unit, positions, violations).scan(unit, null);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return violations;
    }

    private static void checkFile(String name, String source, List<String> violations) {
        long lines = source.lines().count();
        int most = name.contains("src/test/") ? TEST_FILE_LINES : MAIN_FILE_LINES;
        if (lines > most) {
            violations.add("%s has %d lines, %d at most".formatted(name, lines, most));
        }
        if (name.endsWith("/package-info.java") && !source.contains("@NullMarked")) {
            violations.add("%s does not say @NullMarked".formatted(name));
        }
    }

    private static final class Scanner extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final List<String> violations;

        Scanner(CompilationUnitTree unit, SourcePositions positions, List<String> violations) {
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
            long lines = line(positions.getEndPosition(unit, tree)) - firstLine(tree) + 1;
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

        /** Annotations are not counted: a table of cases for a test is data. */
        private long firstLine(MethodTree tree) {
            Tree type = tree.getReturnType();
            long annotationsEnd = positions.getEndPosition(unit, tree.getModifiers());
            return line(
                    type != null
                            ? positions.getStartPosition(unit, type)
                            : Math.max(annotationsEnd, positions.getStartPosition(unit, tree)));
        }

        /** The constructor of a record or an enum has as many parameters as there are fields. */
        private boolean listsTheFieldsOfARow(MethodTree tree) {
            Tree.Kind owner = getCurrentPath().getParentPath().getLeaf().getKind();
            return tree.getReturnType() == null
                    && (owner == Tree.Kind.RECORD || owner == Tree.Kind.ENUM);
        }

        private String place(Tree tree) {
            return unit.getSourceFile().getName()
                    + ":"
                    + line(positions.getStartPosition(unit, tree));
        }

        private long line(long position) {
            return unit.getLineMap().getLineNumber(position);
        }
    }

    private static final class InMemorySource extends SimpleJavaFileObject {
        private final String name;
        private final String text;

        InMemorySource(String name, String text) {
            super(URI.create("string:///" + name), Kind.SOURCE);
            this.name = name;
            this.text = text;
        }

        @Override
        public String getName() {
            return name;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
