package dev.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.bench.KillLedger.Content;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

class KillLedgerTest {

    private final KillLedger ledger = KillLedger.create();

    @AfterEach
    void close() {
        ledger.close();
    }

    /** As the supervisor would run it; returns its status. */
    private int run(String mark, String command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", ledger.framed(command));
        builder.environment().put("MUSTER_INSTANCE", mark);
        Process process = builder.start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Test
    void seesThatAProcessStartHappenedTwice() throws Exception {
        run("a.1.0.1.1", "true");
        run("a.1.0.1.2", "true");
        assertThat(ledger.read().twice()).isEmpty();

        run("a.1.0.1.2", "true");

        assertThat(ledger.read().twice()).containsExactly("a.1.0.1.2");
    }

    @Test
    void callsAGangWholeOnlyIfAllOfItEndedInOneAttempt() throws Exception {
        run("a.1.0.1.1", "true");
        run("a.2.1.1.1", "true");
        Content apart = ledger.read();
        assertThat(apart.any("a")).isTrue();
        assertThat(apart.whole("a", 2)).isFalse();

        run("a.2.0.1.1", "true");

        assertThat(ledger.read().whole("a", 2)).isTrue();
    }

    @Test
    void keepsTheStatusOfACommandThatFailsAndDoesNotCallItEnded() throws Exception {
        assertThat(run("a.1.0.1.1", "exit 3")).isEqualTo(3);
        assertThat(run("b.1.0.1.1", "kill -9 $$")).isEqualTo(137);

        Content content = ledger.read();

        assertThat(content.begun()).isEqualTo(2);
        assertThat(content.any("a") || content.any("b")).isFalse();
    }

    @Test
    void doesSomethingForTheFirstProcessStartsOnly() throws Exception {
        String command = ledger.unlessBefore("climbs", 2, "kill -9 $$");

        assertThat(run("a.1.0.1.1", command)).isEqualTo(137);
        assertThat(run("a.1.0.1.2", command)).isEqualTo(137);
        assertThat(run("a.1.0.1.3", command)).isZero();
        assertThat(ledger.read().whole("a", 1)).isTrue();
    }
}
