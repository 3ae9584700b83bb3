package dev.muster.agent;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;

import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What one line of a log says of the training's progress: by the line protocol, or in the way of
 * the usual trainers ({@code docs/signals.md}).
 *
 * @param checkpoint empty for none
 */
record TrainingLine(OptionalLong step, OptionalDouble loss, String checkpoint) {

    static final TrainingLine NOTHING =
            new TrainingLine(OptionalLong.empty(), OptionalDouble.empty(), "");

    private static final String PROTOCOL = "[muster] ";
    private static final int LONGEST_CHECKPOINT = 1024;
    private static final String NUMBER =
            "([-+]?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?|[-+]?nan|[-+]?inf)";

    /** step=20, "Step 20/100", global_step: 20, "iteration 10/ 500", 'step': 20. */
    private static final Pattern STEP =
            Pattern.compile(
                    "(?:^|[^a-z0-9])(?:global[_ ]?step|step|iteration|iter)['\"]?\\s*[=:\\[(]?\\s*"
                            + "([0-9]{1,18})(?:[^0-9.]|$)");

    /** loss=0.5, 'loss': 0.5, lm loss: 1.0E+01, loss is 0.5. */
    private static final Pattern LOSS =
            Pattern.compile("(?:^|[^a-z0-9])loss['\"]?\\s*(?:[=:]|is)\\s*" + NUMBER);

    /** A progress bar: 100/1000 [00:10<01:30, 10.00it/s]. */
    private static final Pattern BAR =
            Pattern.compile("\\|\\s*([0-9]{1,18})/[0-9]+ \\[[0-9:]+<.*(?:it/s|s/it)");

    /** Megatron's and the Hugging Face trainer's words for a written checkpoint. */
    private static final Pattern CHECKPOINT =
            Pattern.compile(
                    "(?:successfully saved checkpoint (?:at|from) iteration\\s+[0-9]+ to"
                            + "|[Ss]aving model checkpoint to|[Ss]aved checkpoint to)\\s+(\\S+)");

    static TrainingLine parse(String line) {
        int own = line.indexOf(PROTOCOL);
        if (own >= 0) {
            return protocol(line.substring(own + PROTOCOL.length()));
        }
        String lower = line.toLowerCase(Locale.ROOT);
        boolean mayStep = lower.contains("step") || lower.contains("iter");
        boolean mayLoss = lower.contains("loss");
        boolean isBar = lower.contains("it/s") || lower.contains("s/it");
        boolean mayCheckpoint = lower.contains("checkpoint");
        if (!mayStep && !mayLoss && !isBar && !mayCheckpoint) {
            return NOTHING;
        }
        Matcher checkpoint = CHECKPOINT.matcher(line);
        if (mayCheckpoint && checkpoint.find()) {
            return new TrainingLine(
                    OptionalLong.empty(), OptionalDouble.empty(), bounded(checkpoint.group(1)));
        }
        OptionalLong step = isBar ? step(BAR, lower) : OptionalLong.empty();
        if (step.isEmpty() && mayStep) {
            step = step(STEP, lower);
        }
        Matcher loss = LOSS.matcher(lower);
        return new TrainingLine(
                step, mayLoss && loss.find() ? number(loss.group(1)) : OptionalDouble.empty(), "");
    }

    private static OptionalLong step(Pattern pattern, String line) {
        Matcher found = pattern.matcher(line);
        return found.find()
                ? OptionalLong.of(Long.parseLong(found.group(1)))
                : OptionalLong.empty();
    }

    /** Unknown keys, and values that are none, are passed over. */
    private static TrainingLine protocol(String text) {
        OptionalLong step = OptionalLong.empty();
        OptionalDouble loss = OptionalDouble.empty();
        String checkpoint = "";
        for (String word : text.split("\\s+", -1)) {
            int equals = word.indexOf('=');
            String value = word.substring(equals + 1);
            switch (equals < 0 ? "" : word.substring(0, equals)) {
                case "step" -> {
                    if (value.matches("[0-9]{1,18}")) {
                        step = OptionalLong.of(Long.parseLong(value));
                    }
                }
                case "loss" -> loss = number(value.toLowerCase(Locale.ROOT));
                case "checkpoint" -> checkpoint = bounded(value);
                default -> {
                    // of a later version
                }
            }
        }
        return new TrainingLine(step, loss, checkpoint);
    }

    private static OptionalDouble number(String text) {
        if (text.endsWith("nan")) {
            return OptionalDouble.of(Double.NaN);
        } else if (text.endsWith("inf")) {
            return OptionalDouble.of(
                    text.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
        }
        try {
            return OptionalDouble.of(Double.parseDouble(text));
        } catch (NumberFormatException e) {
            return OptionalDouble.empty();
        }
    }

    private static String bounded(String text) {
        return text.substring(0, Math.min(text.length(), LONGEST_CHECKPOINT));
    }
}
