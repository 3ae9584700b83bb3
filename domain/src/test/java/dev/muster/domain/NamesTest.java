package dev.muster.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

class NamesTest {

    @Test
    void takesNamesThatAreSafeInHeadersPathsAndAddresses() {
        assertThat(new NodeId("node-7.rack_2").value()).isEqualTo("node-7.rack_2");
        assertThat(new LaneId("executor/e1/public/3")).hasToString("executor/e1/public/3");
        assertThat(new PoolId("p".repeat(63)).value()).hasSize(63);
        assertThat(new NodeId("n".repeat(253)).value()).hasSize(253);
    }

    @Test
    void refusesNamesThatAreEmptyLongOrUnsafe() {
        for (String bad : List.of("", "a b", "a\n", "a\"b", "ü", "a%2f", "a;b", "\u0130")) {
            assertThatIllegalArgumentException().as(bad).isThrownBy(() -> new QueueId(bad));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ProjectId("p".repeat(64)))
                .withMessage("a project name has 1 to 63 characters, not 64");
    }

    @Test
    void readsAndShowsJobIdsAsUuids() {
        String text = "0197d7a1-5c3e-7b4a-9f00-0123456789ab";
        assertThat(JobId.parse(text)).hasToString(text);
        assertThat(JobId.of(UUID.fromString(text))).isEqualTo(JobId.parse(text));
        for (String bad : List.of("", "1-1-1-1-1", text + "0", text.replace('9', 'x'))) {
            assertThatIllegalArgumentException().as(bad).isThrownBy(() -> JobId.parse(bad));
        }
    }

    @Test
    void ordersJobIdsAsTheirTextIsOrdered() {
        List<JobId> sorted =
                Stream.of(new JobId(-1, 0), new JobId(1, -1), new JobId(1, 2), new JobId(0, -5))
                        .sorted()
                        .toList();
        assertThat(sorted)
                .isSortedAccordingTo((a, b) -> a.toString().compareTo(b.toString()))
                .hasSize(4);
    }

    @Test
    void countsInstancesFromTheirFirst() {
        JobId job = new JobId(1, 2);
        assertThat(new InstanceRef(job, 1, 0, 1)).hasToString(job + ".1.0.1");
        assertThatIllegalArgumentException().isThrownBy(() -> new InstanceRef(job, 0, 0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new InstanceRef(job, 1, -1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new InstanceRef(job, 1, 0, 0));
    }

    @Test
    void showsAViolationsValueCutAndEscaped() {
        Violation violation = Violation.of("name", "a\u0007b\n" + "x".repeat(100), "rule", "");
        assertThat(violation.value())
                .startsWith("a\\u0007b\\u000a")
                .endsWith("…")
                .hasSizeLessThan(100);
        assertThat(Violation.of("priority", 7, "lies in a range", "1..3").value()).isEqualTo("7");
    }
}
