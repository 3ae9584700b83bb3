package dev.muster.platform.kafka;

import dev.muster.domain.Command;
import dev.muster.domain.Message;
import dev.muster.domain.Report;

import org.jspecify.annotations.Nullable;

/** What stands at the place of a message that Kafka will never take, so that nothing is blocked. */
final class Replacements {

    private static final int CUT_CHARACTERS = 1000;

    private Replacements() {}

    /** Null for a message of bounded size, whose refusal has another reason. */
    static @Nullable Message of(Message refused, String reason) {
        return switch (refused) {
            case Command.SubmitJob m ->
                    new Command.Unpublishable(m.ask().job(), m.ask().project(), cut(reason));
            case Report.InstanceFailed m ->
                    m.message().length() <= CUT_CHARACTERS
                            ? null
                            : new Report.InstanceFailed(
                                    m.shardEpoch(), m.instance(), m.cause(), cut(m.message()));
            case Report.NoticeRaised m ->
                    m.message().length() <= CUT_CHARACTERS
                            ? null
                            : new Report.NoticeRaised(
                                    m.shardEpoch(), m.instance(), m.level(), cut(m.message()));
            case Command.StopJob m ->
                    m.reason().length() <= CUT_CHARACTERS
                            ? null
                            : new Command.StopJob(
                                    m.commandId(), m.job(), m.requestedBy(), cut(m.reason()));
            case Command.PreemptJob m ->
                    m.reason().length() <= CUT_CHARACTERS
                            ? null
                            : new Command.PreemptJob(
                                    m.commandId(), m.job(), m.requestedBy(), cut(m.reason()));
            case Command.ReportIncident m -> m.message().length() <= CUT_CHARACTERS ? null : cut(m);
            case Command.CordonNode _,
                    Command.UncordonNode _,
                    Command.ReportProgress _,
                    Command.Unpublishable _,
                    Report.ShardTaken _,
                    Report.NodeObserved _,
                    Report.InstancePrepared _,
                    Report.InstanceStarted _,
                    Report.InstanceExited _,
                    Report.InstanceGone _,
                    Report.EvidenceKept _ ->
                    null;
        };
    }

    private static Message cut(Command.ReportIncident m) {
        return new Command.ReportIncident(
                m.commandId(),
                m.job(),
                m.attempt(),
                m.incarnation(),
                m.processStart(),
                m.scenario(),
                m.environment(),
                m.index(),
                cut(m.message()));
    }

    private static String cut(String text) {
        return text.length() <= CUT_CHARACTERS ? text : text.substring(0, CUT_CHARACTERS);
    }
}
