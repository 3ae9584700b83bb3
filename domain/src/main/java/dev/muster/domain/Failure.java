package dev.muster.domain;

import java.util.List;

/** Why a request was not carried out: a value, mapped to an answer at one place. */
public sealed interface Failure {

    String message();

    record Invalid(List<Violation> violations) implements Failure {
        public Invalid {
            violations = List.copyOf(violations);
        }

        @Override
        public String message() {
            return violations.size() == 1
                    ? "1 rule is violated"
                    : violations.size() + " rules are violated";
        }
    }

    record NotFound(String message) implements Failure {}

    record Conflict(String message) implements Failure {}

    /** Not authenticated ({@code known} false) or not permitted. */
    record Denied(boolean known, String message) implements Failure {}

    /** Try again later: a bound is reached. */
    record Overloaded(String message, int retryAfterSeconds) implements Failure {}

    /** Try again later: something that Muster needs is not there. */
    record Unavailable(String message, int retryAfterSeconds) implements Failure {}
}
