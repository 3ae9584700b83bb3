package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.muster.cli.Installation.Said;

import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

class SupportBundleIT {

    private static final String PLANTED = "pl4nted-secret-value-7c1e";

    @TempDir private Path folder;

    @Test
    void tellsEverythingButSecrets() throws Exception {
        List<String> secrets = new ArrayList<>(List.of(PLANTED));
        try (Installation muster = new Installation()) {
            Files.writeString(
                    muster.directory().resolve("muster.yaml"),
                    "gateway.archive.keep: 777\nservice.token: " + PLANTED + "-service\n");
            MusterProcess up = muster.up("log.level=debug");
            ObjectNode job = Installation.shellJob("planted", 1, "echo $TOKEN; echo " + PLANTED);
            job.putObject("environment").put("TOKEN", PLANTED);
            String id = muster.submit(job);
            muster.awaitState(id, "SUCCEEDED");
            secrets.add(webhookSecret(muster));
            for (String file : List.of("token", "secrets-key")) {
                secrets.add(Files.readString(muster.directory().resolve(file)).strip());
            }
            Path running = folder.resolve("running.tar.gz");
            Said said = muster.muster("support-bundle", running.toString());
            assertThat(said.exitCode()).as(said.err()).isZero();
            Map<String, String> bundle = unpacked(running);
            assertThat(bundle.keySet())
                    .contains(
                            "doctor.txt",
                            "doctor.json",
                            "settings.txt",
                            "versions.txt",
                            "tables.json",
                            "lanes.json",
                            "leases.json",
                            "services/gateway-local/metrics.txt",
                            "services/gateway-local/threads.txt",
                            "services/scheduler-local/log.txt");
            assertThat(bundle.get("tables.json")).contains("scheduler.journal", "bytes");
            assertThat(bundle.get("postgres.json"))
                    .contains("fsync", "max_connections")
                    .doesNotContain("\"port\"", "_command", "_directory");
            assertThat(bundle.get("lanes.json")).contains("gateway/local/public");
            assertThat(bundle.get("services/gateway-local/threads.txt")).contains("eventloop");
            assertThat(bundle.get("services/gateway-local/log.txt")).contains("gateway serves");
            assertThat(bundle.get("settings.txt"))
                    .contains("gateway.archive.keep = 777", "sql.password = (set)");
            assertThat(bundle.get("versions.txt")).contains("PostgreSQL 1", "schema gateway");
            withoutSecrets(bundle, secrets);
            up.close();
            Path stopped = folder.resolve("stopped.tar.gz");
            assertThat(muster.muster("support-bundle", stopped.toString()).exitCode()).isZero();
            withoutSecrets(unpacked(stopped), secrets);
        }
    }

    private static String webhookSecret(Installation muster) {
        ObjectNode wanted = JsonNodeFactory.instance.objectNode();
        wanted.put("url", "https://example.com/hook?key=" + PLANTED);
        try (ApiClient api = muster.api()) {
            return api.post("/api/v1/subscriptions", wanted.toString()).path("secret").asText();
        }
    }

    private static void withoutSecrets(Map<String, String> bundle, List<String> secrets) {
        bundle.forEach((name, text) -> {
            for (String each : secrets) {
                assertThat(each).hasSizeGreaterThan(10);
                assertThat(text).as(name).doesNotContain(each);
                for (int shift = 0; shift < 3; shift++) {
                    assertThat(text).as(name).doesNotContain(base64Core(each, shift));
                }
            }
        });
    }

    /** The part of a text's base64 that is the same wherever it stands in what was encoded. */
    private static String base64Core(String secret, int shift) {
        byte[] padded = ("x".repeat(shift) + secret).getBytes(StandardCharsets.UTF_8);
        String whole = Base64.getEncoder().withoutPadding().encodeToString(padded);
        return whole.substring(4, whole.length() - 4);
    }

    private static Map<String, String> unpacked(Path file) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new GZIPInputStream(Files.newInputStream(file)))) {
            for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                texts.put(
                        entry.getName().replaceFirst("^muster-support/", ""),
                        new String(tar.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return texts;
    }

    @Test
    void takesKnownSecretsOutInTheFormsInWhichTheyTravel() {
        Redaction redaction = new Redaction(List.of("s3cret+value/1"));
        String base64 =
                Base64.getEncoder()
                        .encodeToString("s3cret+value/1".getBytes(StandardCharsets.UTF_8));

        assertThat(redaction.of("a s3cret+value/1 b")).isEqualTo("a *** b");
        assertThat(redaction.of("q=s3cret%2Bvalue%2F1")).isEqualTo("q=***");
        assertThat(redaction.of("Basic " + base64)).doesNotContain("czNjcmV0K3ZhbHVl");
        assertThat(redaction.of("http://me:hunter22@host/x")).isEqualTo("http://me:***host/x");
        assertThat(redaction.of("Authorization: Bearer abcdefghij1")).endsWith("Bearer ***");
    }
}
