package dev.muster.cli;

import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;

import java.util.List;

/** Settings that name nothing, and those that are better not used for long. */
final class DoctorSettingsCheck implements Doctor.Check {

    private static final List<String> LOOPBACK = List.of("127.0.0.1", "localhost", "::1");

    private final Settings settings;

    DoctorSettingsCheck(Settings settings) {
        this.settings = settings;
    }

    @Override
    public void examine(List<Finding> findings) {
        List<String> remarks = settings.remarks();
        findings.add(
                Finding.of(
                        remarks.isEmpty(),
                        "settings.known",
                        remarks.isEmpty() ? "all keys are known" : String.join("; ", remarks),
                        "no unknown key",
                        "correct the name, or take it away: muster settings lists all"));
        String host = settings.get(PlatformSettings.HTTP_HOST);
        findings.add(
                Finding.of(
                        LOOPBACK.contains(host),
                        "settings.http.host",
                        host,
                        "loopback, unless something in front of it speaks TLS",
                        "set http.host to 127.0.0.1: tokens go over this connection in the clear"));
        findings.add(kafka());
        String crash = System.getenv().getOrDefault("MUSTER_CRASH_AT", "");
        findings.add(
                Finding.of(
                        crash.isEmpty(),
                        "settings.failpoints",
                        crash.isEmpty() ? "none" : crash,
                        "none",
                        "unset MUSTER_CRASH_AT: processes halt there"));
    }

    private Finding kafka() {
        List<String> brokers = settings.get(PlatformSettings.KAFKA_BOOTSTRAP);
        boolean near =
                brokers.stream()
                        .allMatch(each ->
                                LOOPBACK.stream().anyMatch(host -> each.startsWith(host + ":")));
        boolean tls = settings.get(PlatformSettings.KAFKA_TLS);
        return Finding.of(
                near || tls,
                "settings.kafka.tls",
                "kafka.tls is " + tls + " for " + String.join(", ", brokers),
                "on for brokers of other machines",
                "set kafka.tls: password and events go over this connection in the clear");
    }
}
