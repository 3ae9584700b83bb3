package dev.muster.core.recovery;

import dev.muster.domain.FailureCause;

/** What an observation means for the job. */
public sealed interface Verdict {

    Verdict GO_ON = new GoOn();
    Verdict SUCCEED = new Succeed();

    /** Nothing follows. */
    record GoOn() implements Verdict {}

    /** Every instance has done its part. */
    record Succeed() implements Verdict {}

    record Fail(FailureCause cause, String message) implements Verdict {}
}
