package dev.muster.agent;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A job's failure patterns as one: a line is looked at once, in time that grows with its length and
 * with the size of the patterns.
 */
final class FailurePatterns {

    private static final Logger LOG = LoggerFactory.getLogger(FailurePatterns.class);

    private final Optional<Pattern> any;

    FailurePatterns(List<String> patterns) {
        List<String> valid = new ArrayList<>();
        for (String each : patterns) {
            try {
                valid.add("(?:" + Pattern.compile(each).pattern() + ")");
            } catch (PatternSyntaxException e) {
                // it was checked when the job was accepted: this agent is older, or newer
                LOG.warn("a failure pattern is not watched for: {}", e.getMessage());
            }
        }
        this.any =
                valid.isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                Pattern.compile(valid.stream().collect(Collectors.joining("|"))));
    }

    /** What a character may cost, by the size of the compiled patterns; 0 if there are none. */
    int stepsPerChar() {
        return any.map(Pattern::programSize).orElse(0);
    }

    boolean match(String line) {
        return any.isPresent() && any.get().matcher(line).find();
    }
}
