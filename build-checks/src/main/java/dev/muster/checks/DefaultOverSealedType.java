package dev.muster.checks;

import static com.google.errorprone.BugPattern.SeverityLevel.ERROR;

import com.google.errorprone.BugPattern;
import com.google.errorprone.VisitorState;
import com.google.errorprone.bugpatterns.BugChecker;
import com.google.errorprone.matchers.Description;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.DefaultCaseLabelTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.Tree;
import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.code.Type;

import java.util.List;

/**
 * Reports {@code default} in a switch over a sealed type: without it the compiler names every
 * switch that a new subtype has to be added to.
 */
@BugPattern(
        summary = "A switch over a sealed type names every subtype instead of a default.",
        severity = ERROR)
public final class DefaultOverSealedType extends BugChecker
        implements BugChecker.SwitchTreeMatcher, BugChecker.SwitchExpressionTreeMatcher {

    private static final long serialVersionUID = 1L;

    /** Made by the compiler through its service loader. */
    public DefaultOverSealedType() {}

    @Override
    public Description matchSwitch(SwitchTree tree, VisitorState state) {
        return check(tree, tree.getExpression(), tree.getCases());
    }

    @Override
    public Description matchSwitchExpression(SwitchExpressionTree tree, VisitorState state) {
        return check(tree, tree.getExpression(), tree.getCases());
    }

    private Description check(Tree tree, ExpressionTree selector, List<? extends CaseTree> cases) {
        return isSealed(ASTHelpers.getType(selector)) && hasDefault(cases)
                ? describeMatch(tree)
                : Description.NO_MATCH;
    }

    private static boolean isSealed(Type type) {
        return type != null
                && type.tsym != null
                && (type.tsym.flags() & Flags.SEALED) != 0
                // an enum with bodies is sealed too, and has a check of its own
                && (type.tsym.flags() & Flags.ENUM) == 0;
    }

    private static boolean hasDefault(List<? extends CaseTree> cases) {
        return cases.stream()
                .flatMap(c -> c.getLabels().stream())
                .anyMatch(DefaultCaseLabelTree.class::isInstance);
    }
}
