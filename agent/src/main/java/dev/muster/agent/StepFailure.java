package dev.muster.agent;

/** A step that cannot succeed, however often it is repeated. */
final class StepFailure extends Exception {

    private static final long serialVersionUID = 1L;

    private final InstanceFailure.Step step;
    private final String sentence;

    StepFailure(InstanceFailure.Step step, String sentence) {
        super(sentence);
        this.step = step;
        this.sentence = sentence;
    }

    InstanceFailure failure() {
        return new InstanceFailure(step, sentence);
    }
}
