package dev.muster.checks;

import static com.google.errorprone.BugPattern.SeverityLevel.ERROR;
import static com.google.errorprone.util.ASTHelpers.getReceiver;
import static com.google.errorprone.util.ASTHelpers.getResultType;
import static com.google.errorprone.util.ASTHelpers.getSymbol;
import static com.google.errorprone.util.ASTHelpers.isSubtype;

import com.google.errorprone.BugPattern;
import com.google.errorprone.ErrorProneFlags;
import com.google.errorprone.VisitorState;
import com.google.errorprone.bugpatterns.AbstractReturnValueIgnored;
import com.google.errorprone.bugpatterns.threadsafety.ConstantExpressions;
import com.google.errorprone.matchers.Matcher;
import com.google.errorprone.suppliers.Supplier;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.tools.javac.code.Type;

import org.jspecify.annotations.Nullable;

import java.util.Set;

/**
 * Reports a Vert.x {@code Future} whose failure nobody would see: one that is dropped, or that has
 * a handler for success alone. error-prone itself knows the futures of {@code java.util.concurrent}
 * only. To drop one on purpose, say so: {@code .onFailure(...)} with what makes the failure
 * harmless.
 */
@BugPattern(
        summary =
                "The failure of this Future goes unseen: return it, compose on it, or end the chain"
                        + " with onFailure or onComplete.",
        severity = ERROR)
public final class DroppedFuture extends AbstractReturnValueIgnored {

    private static final long serialVersionUID = 1L;

    private static final Supplier<Type> FUTURE =
            VisitorState.memoize(state -> state.getTypeFromString("io.vertx.core.Future"));

    /** The methods that see a failure and hand on the same future for chaining. */
    private static final Set<String> SEES_FAILURE = Set.of("onFailure", "onComplete");

    /** The methods that hand on the same future without looking at its failure. */
    private static final Set<String> HANDS_ON = Set.of("onSuccess");

    /** Made by the compiler through its service loader. */
    public DroppedFuture() {
        super(ConstantExpressions.fromFlags(ErrorProneFlags.empty()));
    }

    @Override
    public Matcher<? super ExpressionTree> specializedMatcher() {
        return (tree, state) -> isFuture(tree, state) && !failureIsSeen(tree);
    }

    private static boolean isFuture(ExpressionTree tree, VisitorState state) {
        Type future = FUTURE.get(state);
        // null where Vert.x is not on the class path
        return future != null && isSubtype(resultOf(tree), future, state);
    }

    private static Type resultOf(ExpressionTree tree) {
        return tree instanceof MemberReferenceTree reference
                ? getSymbol(reference).getReturnType()
                : getResultType(tree);
    }

    private static boolean failureIsSeen(@Nullable ExpressionTree tree) {
        ExpressionTree link = tree;
        while (link instanceof MethodInvocationTree call) {
            String name = getSymbol(call).getSimpleName().toString();
            if (SEES_FAILURE.contains(name)) {
                return true;
            }
            if (!HANDS_ON.contains(name)) {
                return false;
            }
            link = getReceiver(call);
        }
        return false;
    }
}
