package dev.muster.domain;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.HexFormat;
import java.util.List;

class CanonicalTest {

    private static final JobId JOB = new JobId(1, 2);
    private static final ProjectId PROJECT = new ProjectId("p");

    @Test
    void writesNumbersBigEndianAndTextsWithTheirLength() {
        byte[] bytes =
                new Canonical().int32(-2).int64(258).bool(true).text("é").byteOf(255).toBytes();
        assertThat(HexFormat.of().formatHex(bytes))
                .isEqualTo("fffffffe" + "0000000000000102" + "01" + "00000002c3a9" + "ff");
    }

    @Test
    void tellsNeighbouringTextsApart() {
        assertThat(new Canonical().text("ab").text("c").sha256())
                .isNotEqualTo(new Canonical().text("a").text("bc").sha256());
    }

    /** A change of this hash makes snapshots and follower of two versions differ: say so there. */
    @Test
    void keepsTheFormOfSnapshots() {
        Ask ask =
                new Ask(JOB, PROJECT, new QueueId("q"), 2, 1, "A100", new Resources(1, 2, 500), 60);
        JobSnapshot job =
                new JobSnapshot(
                        ask,
                        "name",
                        "00ff",
                        3,
                        JobState.FINISHING,
                        WaitReason.AWAITS_CYCLE,
                        1,
                        List.of(new Placement(0, new NodeId("n"), List.of(3))),
                        List.of(new JobSnapshot.InstanceSnapshot(1, true, 1, 137, false, false)),
                        1,
                        FailureCause.EXIT_CODE,
                        "instance 0 ended with code 137",
                        "",
                        "",
                        0,
                        77,
                        RecoveryState.NONE);
        NodeShape shape = new NodeShape(8000, 1024, "A100", 4, "s");
        NodeSnapshot node = new NodeSnapshot(new NodeId("n"), shape, true, false);
        PoolSnapshot pool =
                new PoolSnapshot(new PoolId("public"), 9, 8, 7, 6, List.of(job), List.of(node));

        assertThat(HexFormat.of().formatHex(CanonicalSnapshot.hash(pool)))
                .isEqualTo("d515a206d75347d60440e6f5a7aadd9e860bb43714bf7f5cdd065cf3ddb49c00");
    }

    @Test
    void writesEveryMemberOfAnEvent() {
        Event base = new Event.InstanceExited(JOB, PROJECT, 1, 0, 1, 1, 0);
        List<Event> others =
                List.of(
                        new Event.InstanceExited(new JobId(1, 3), PROJECT, 1, 0, 1, 1, 0),
                        new Event.InstanceExited(JOB, new ProjectId("q"), 1, 0, 1, 1, 0),
                        new Event.InstanceExited(JOB, PROJECT, 2, 0, 1, 1, 0),
                        new Event.InstanceExited(JOB, PROJECT, 1, 1, 1, 1, 0),
                        new Event.InstanceExited(JOB, PROJECT, 1, 0, 2, 1, 0),
                        new Event.InstanceExited(JOB, PROJECT, 1, 0, 1, 2, 0),
                        new Event.InstanceExited(JOB, PROJECT, 1, 0, 1, 1, 9),
                        new Event.InstanceStarted(JOB, PROJECT, 1, 0, 1, 1));
        for (Event other : others) {
            assertThat(hash(other)).as("%s", other).isNotEqualTo(hash(base));
        }
    }

    @Test
    void writesEveryMemberOfARestart() {
        Event base = restarting(1, Tier.PROCESS, Scenario.JOB_HANGED, counters(1, 2), Spent.NONE);
        List<Event> others =
                List.of(
                        restarting(
                                2, Tier.PROCESS, Scenario.JOB_HANGED, counters(1, 2), Spent.NONE),
                        restarting(1, Tier.JOB, Scenario.JOB_HANGED, counters(1, 2), Spent.NONE),
                        restarting(
                                1, Tier.PROCESS, Scenario.JOB_FAILED, counters(1, 2), Spent.NONE),
                        restarting(
                                1, Tier.PROCESS, Scenario.JOB_HANGED, counters(2, 2), Spent.NONE),
                        restarting(
                                1, Tier.PROCESS, Scenario.JOB_HANGED, counters(1, 3), Spent.NONE),
                        restarting(
                                1,
                                Tier.PROCESS,
                                Scenario.JOB_HANGED,
                                counters(1, 2),
                                new Spent(1, 0, 0)),
                        restarting(
                                1,
                                Tier.PROCESS,
                                Scenario.JOB_HANGED,
                                counters(1, 2),
                                new Spent(0, 1, 0)),
                        restarting(
                                1,
                                Tier.PROCESS,
                                Scenario.JOB_HANGED,
                                counters(1, 2),
                                new Spent(0, 0, 1)));
        for (Event other : others) {
            assertThat(hash(other)).as("%s", other).isNotEqualTo(hash(base));
        }
    }

    /**
     * @param counters incarnation and process start
     */
    private static Event restarting(
            int incident, Tier tier, Scenario scenario, int[] counters, Spent spent) {
        return new Event.JobRestarting(
                JOB, PROJECT, 1, incident, tier, scenario, counters[0], counters[1], spent);
    }

    private static int[] counters(int incarnation, int processStart) {
        return new int[] {incarnation, processStart};
    }

    @Test
    void writesWhatAnAskSaysOfRestarts() {
        Ask plain =
                new Ask(JOB, PROJECT, new QueueId("q"), 2, 1, "A100", new Resources(1, 2, 500), 60);
        RestartPolicy policy = new RestartPolicy(true, 3, false, false);
        List<Ask> others =
                List.of(
                        plain.withRecovery(policy, false, Watch.DEFAULT),
                        plain.withRecovery(RestartPolicy.OFF, true, Watch.DEFAULT),
                        plain.withRecovery(RestartPolicy.OFF, false, new Watch(60, 900)),
                        plain.withRecovery(RestartPolicy.OFF, false, new Watch(0, 30)));
        for (Ask other : others) {
            assertThat(hash(new Event.JobSubmitted(other, "n", "00ff", 5)))
                    .isNotEqualTo(hash(new Event.JobSubmitted(plain, "n", "00ff", 5)));
        }
    }

    private static byte[] hash(Event event) {
        Canonical out = new Canonical();
        CanonicalEvents.write(out, event);
        return out.sha256();
    }
}
