package dev.muster.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.domain.Ask;
import dev.muster.domain.Command;
import dev.muster.domain.Event;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.NodeId;
import dev.muster.domain.NodeShape;
import dev.muster.domain.Placement;
import dev.muster.domain.Resources;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Where gangs go, and what is said of those that go nowhere. */
class PlacementTest {

    private static final String MODEL = "Ascend910";

    private TestPool pool = TestPool.of(3, 4);

    /** On three nodes with 4 devices, 64 cores and 262,144 MiB each. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    1  | ''        | 65000 | 1      | 0    | 65000 thousandths of a CPU core on one node | 64000
                    1  | ''        | 1     | 262145 | 0    | 262145 MiB of memory on one node | 262144
                    1  | Ascend910 | 1     | 1      | 5000 | 5 accelerators of Ascend910 on one node | 4
                    4  | Ascend910 | 1     | 2      | 3000 | 4 places on a node for an instance of 3 accelerators of Ascend910 with 1 thousandths of a CPU core and 2 MiB of memory | 3
                    4  | ''        | 40000 | 2      | 0    | 4 places on a node for an instance of 40000 thousandths of a CPU core and 2 MiB of memory | 3
                    4  | Ascend910 | 40000 | 2      | 500  | 4 places on a node for an instance of 500 thousandths of accelerators of Ascend910 with 40000 thousandths of a CPU core and 2 MiB of memory | 3
                    13 | ''        | 1     | 1      | 600  | 13 accelerators | 12
                    25 | Ascend910 | 1     | 1      | 500  | 13 accelerators of Ascend910 | 12
                    37 | Ascend910 | 1     | 1      | 300  | 13 accelerators of Ascend910 | 12
                    13 | Ascend910 | 1     | 1      | 1000 | 13 accelerators of Ascend910 | 12
                    1  | H100      | 1     | 1      | 1000 | 1 accelerators of H100 | 0
                    """)
    void saysWhatNoStateOfThePoolHolds(ArgumentsAccessor row) {
        Resources each = new Resources(number(row, 2), number(row, 3), number(row, 4));
        Ask ask = pool.ask(number(row, 0), text(row, 1), each);

        assertThat(reason(pool.submit(ask)))
                .isEqualTo(
                        "never fits: needs %s in pool public, which has at most %s"
                                .formatted(text(row, 5), text(row, 6)));
    }

    @ParameterizedTest
    @CsvSource({
        "3, '', 64000, 262144, 0",
        "3, Ascend910, 64000, 262144, 4000",
        "36, Ascend910, 1, 1, 300",
        "24, '', 1, 1, 500",
        "12, Ascend910, 1, 1, 1000"
    })
    void placesWhatJustFits(int instances, String model, int cpu, int memory, int thousandths) {
        Ask ask = pool.ask(instances, model, new Resources(cpu, memory, thousandths));

        assertThat(TestPool.types(pool.submit(ask))).contains("GangGranted");
    }

    @Test
    void saysHowMuchProcessorIsFree() {
        pool.submit(pool.ask(3, "", new Resources(60_000, 1, 0)));

        assertThat(reason(pool.submit(pool.ask(3, "", new Resources(5_000, 1, 0)))))
                .isEqualTo(
                        "needs 15000 thousandths of a CPU core in pool public, of which 12000 are"
                                + " free");
        assertThat(nodes(pool.ask(3, "", new Resources(4_000, 1, 0)))).hasSize(3);
        assertThat(reason(pool.submit(pool.ask(1, "", new Resources(1, 1, 0)))))
                .isEqualTo("needs 1 thousandths of a CPU core in pool public, of which 0 are free");
    }

    @Test
    void saysHowMuchMemoryIsFree() {
        pool.submit(pool.ask(3, "", new Resources(1, 262_000, 0)));

        assertThat(reason(pool.submit(pool.ask(3, "", new Resources(1, 145, 0)))))
                .isEqualTo("needs 435 MiB of memory in pool public, of which 432 are free");
        assertThat(nodes(pool.ask(3, "", new Resources(1, 144, 0)))).hasSize(3);
    }

    @Test
    void saysThatWhatIsFreeIsNotTogether() {
        pool.submit(pool.gang(3, 3000));

        assertThat(reason(pool.submit(pool.gang(1, 2000))))
                .isEqualTo(
                        "needs 1 places on a node for an instance of 2 accelerators of Ascend910"
                                + " with 1000 thousandths of a CPU core and 1024 MiB of memory in"
                                + " pool public, of which 0 are free");
        assertThat(reason(pool.submit(pool.gang(4, 1000))))
                .isEqualTo("needs 4 accelerators of Ascend910 in pool public, of which 3 are free");
        assertThat(nodes(pool.gang(3, 1000))).hasSize(3);
    }

    @Test
    void saysHowMuchOfSharedDevicesIsFree() {
        pool.submit(pool.gang(12, 800));

        assertThat(reason(pool.submit(pool.gang(4, 900))))
                .isEqualTo(
                        "needs 3600 thousandths of accelerators of Ascend910 in pool public, of"
                                + " which 2400 are free");
        assertThat(reason(pool.submit(pool.gang(2, 900))))
                .isEqualTo(
                        "needs 2 places on a node for an instance of 900 thousandths of"
                                + " accelerators of Ascend910 with 1000 thousandths of a CPU core"
                                + " and 1024 MiB of memory in pool public, of which 0 are free");
        assertThat(nodes(pool.gang(12, 200))).hasSize(12);
    }

    @Test
    void keepsToTheModelThatIsAskedFor() {
        pool.node("gpu", new NodeShape(64_000, 262_144, "H100", 2, ""));
        Resources one = new Resources(1, 1, 1000);

        assertThat(nodes(pool.ask(2, "H100", one))).containsExactly("gpu", "gpu");
        assertThat(reason(pool.submit(pool.ask(1, "H100", one))))
                .isEqualTo("needs 1 accelerators of H100 in pool public, of which 0 are free");
        assertThat(nodes(pool.ask(12, MODEL, one))).doesNotContain("gpu").hasSize(12);
    }

    @Test
    void takesAnyModelWhereNoneIsNamed() {
        pool.node("gpu", new NodeShape(64_000, 262_144, "H100", 2, ""));

        assertThat(nodes(pool.ask(14, "", new Resources(1, 1, 1000)))).contains("gpu").hasSize(14);
    }

    @Test
    void fillsTheFullestNodeFirst() {
        assertThat(nodes(pool.gang(1, 1000))).containsExactly("node-0");
        assertThat(nodes(pool.gang(1, 4000))).containsExactly("node-1");
        assertThat(nodes(pool.gang(1, 2000))).containsExactly("node-0");
        assertThat(nodes(pool.gang(1, 1000))).containsExactly("node-0");
        assertThat(nodes(pool.gang(1, 1000))).containsExactly("node-2");
    }

    @Test
    void sharesAStartedDeviceBeforeItStartsAWholeOne() {
        close("node-0", "node-2");
        assertThat(nodes(pool.gang(1, 500))).containsExactly("node-1");
        open("node-0");
        close("node-1");
        assertThat(nodes(pool.gang(1, 3000))).containsExactly("node-0");
        open("node-1", "node-2");

        assertThat(nodes(pool.gang(1, 400))).containsExactly("node-1");
        // 100 are left there: too little
        assertThat(nodes(pool.gang(1, 200))).containsExactly("node-0");
    }

    @Test
    void fillsTheDeviceWithTheLeastRoomThatSuffices() {
        JobId job = pool.submitted(pool.gang(1, 700));
        pool.submit(pool.gang(1, 600));
        JobId third = pool.submitted(pool.gang(1, 300));
        JobId fourth = pool.submitted(pool.gang(1, 400));

        assertThat(devices(job)).containsExactly(List.of(0));
        assertThat(devices(third)).containsExactly(List.of(0));
        assertThat(devices(fourth)).containsExactly(List.of(1));
    }

    @Test
    void leavesNodesWithDevicesToThoseWhoAskForSome() {
        pool.node("cpu-0", 0);
        pool.node("cpu-1", new NodeShape(8_000, 262_144, "", 0, ""));
        Resources each = new Resources(4_000, 1, 0);

        // the one with less room first
        assertThat(nodes(pool.ask(3, "", each))).containsExactly("cpu-0", "cpu-1", "cpu-1");
        assertThat(nodes(pool.ask(16, "", each))).contains("node-0").doesNotContain("node-1");
    }

    @Test
    void opensAnIdleSupernodeLast() {
        pool = new TestPool();
        supernode("s", 2);
        pool.node("alone", 4);

        assertThat(nodes(pool.gang(1, 4000))).containsExactly("alone");
        assertThat(nodes(pool.gang(1, 1000))).containsExactly("s-0");
        pool.node("later", 4);
        assertThat(nodes(pool.gang(1, 1000))).containsExactly("s-0");
    }

    @Test
    void placesAGangInTheSupernodeWithTheLeastRoomThatHoldsIt() {
        pool = new TestPool();
        supernode("a", 4);
        supernode("b", 2);
        supernode("c", 3);

        assertThat(nodes(pool.gang(2, 4000))).containsExactly("b-0", "b-1");
        assertThat(nodes(pool.gang(2, 4000))).containsExactly("c-0", "c-1");
        assertThat(nodes(pool.gang(4, 4000))).containsExactly("a-0", "a-1", "a-2", "a-3");
    }

    @Test
    void takesTheFirstByNameOfEqualSupernodes() {
        pool = new TestPool();
        supernode("y", 2);
        supernode("x", 2);
        supernode("z", 2);

        assertThat(nodes(pool.gang(2, 4000))).containsExactly("x-0", "x-1");
        assertThat(nodes(pool.gang(2, 4000))).containsExactly("y-0", "y-1");
    }

    @Test
    void fillsTheFullestNodesOfASupernodeFirst() {
        pool = new TestPool();
        pool.node("s-0", 8, "s");
        pool.node("s-1", 4, "s");
        pool.node("s-2", 4, "s");

        // so that it is not idle any more
        assertThat(nodes(pool.gang(1, 1000))).containsExactly("s-0");
        assertThat(nodes(pool.gang(2, 4000))).containsExactly("s-1", "s-2");
    }

    @Test
    void numbersInstancesAlongSupernodesByName() {
        pool = new TestPool();
        supernode("y", 3);
        supernode("x", 3);
        pool.node("alone", 4);

        assertThat(nodes(pool.gang(6, 4000)))
                .containsSubsequence("x-0", "x-1")
                .containsSubsequence("y-0", "y-1", "y-2");
    }

    @Test
    void placesGangsOfMoreNodesThanItHasSpaceFor() {
        pool = new TestPool();
        supernode("s", 40);
        for (int n = 0; n < 40; n++) {
            pool.node("node-" + n, 4);
        }

        assertThat(nodes(pool.gang(40, 4000))).containsExactlyElementsOf(names("s-", 40));
        assertThat(nodes(pool.gang(40, 4000))).containsExactlyElementsOf(names("node-", 40));
    }

    private static int number(ArgumentsAccessor row, int column) {
        return Integer.parseInt(text(row, column));
    }

    private static String text(ArgumentsAccessor row, int column) {
        return Objects.requireNonNull(row.getString(column));
    }

    private void supernode(String name, int size) {
        names(name + "-", size).forEach(node -> pool.node(node, 4, name));
    }

    private static List<String> names(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(n -> prefix + n).toList();
    }

    private void close(String... names) {
        Stream.of(names)
                .forEach(name ->
                        pool.send(new Command.CordonNode("c-" + name, new NodeId(name), "ann")));
    }

    private void open(String... names) {
        Stream.of(names)
                .forEach(name ->
                        pool.send(new Command.UncordonNode("u-" + name, new NodeId(name), "ann")));
    }

    private List<String> nodes(Ask ask) {
        pool.submit(ask);
        return pool.job(ask.job()).placements().stream()
                .map(placement -> placement.node().value())
                .toList();
    }

    private List<List<Integer>> devices(JobId job) {
        JobSnapshot snapshot = pool.job(job);
        return snapshot.placements().stream().map(Placement::devices).toList();
    }

    /** The last one that is told. */
    private static String reason(List<Event> events) {
        return Stream.concat(
                        all(events, Event.JobQueued.class).map(Event.JobQueued::reason),
                        all(events, Event.JobWaiting.class).map(Event.JobWaiting::reason))
                .toList()
                .getLast()
                .sentence();
    }

    private static <T> Stream<T> all(List<Event> events, Class<T> type) {
        return events.stream().filter(type::isInstance).map(type::cast);
    }
}
