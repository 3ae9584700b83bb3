package dev.muster.platform.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

class SettingsTest {

    private static final Setting<Integer> PORT =
            Setting.integer("web.portNumber", 8080, 1, 65535, "Port.");
    private static final Setting<List<String>> NAMES =
            Setting.list("web.names", List.of("a"), "Names.");
    private static final Setting<String> SECRET = Setting.secret("web.secret", "Secret.");
    private static final Setting<Boolean> FLAG = Setting.flag("web.flag", false, "Flag.");
    private static final List<Setting<?>> ALL = List.of(PORT, NAMES, SECRET, FLAG);

    @TempDir Path dir;

    @Test
    void laysEnvironmentOverFileAndOverridesOverBoth() throws IOException {
        Path file = file("web:\n  portNumber: 1\n  names: [x, y]\n  flag: true\n");
        Settings settings =
                new SettingsLoader(ALL)
                        .file(file)
                        .environment(
                                Map.of("MUSTER_WEB_PORT_NUMBER", "2", "MUSTER_WEB_FLAG", "false"))
                        .overrides(Map.of("web.portNumber", "3"))
                        .load();
        assertThat(settings.get(PORT)).isEqualTo(3);
        assertThat(settings.get(NAMES)).containsExactly("x", "y");
        assertThat(settings.get(FLAG)).isFalse();
        assertThat(settings.get(SECRET)).isEmpty();
    }

    @Test
    void refusesAListOfWhichOneElementIsNotAllowed() {
        Setting<List<String>> days =
                Setting.list(
                        "web.days", List.of(), "a list of days", d -> d.endsWith("DAY"), "Days.");
        SettingsLoader loader = new SettingsLoader(List.of(days));
        assertThat(loader.overrides(Map.of("web.days", "MONDAY, FRIDAY")).load().get(days))
                .containsExactly("MONDAY", "FRIDAY");
        assertThatThrownBy(() -> loader.overrides(Map.of("web.days", "MONDAY,JUNE")).load())
                .isInstanceOf(InvalidSettings.class)
                .hasMessageContaining("web.days must be a list of days, not \"MONDAY,JUNE\"");
    }

    @Test
    void takesDefaultsWithoutAFile() {
        Settings settings = new SettingsLoader(ALL).file(dir.resolve("none.yaml")).load();
        assertThat(settings.get(PORT)).isEqualTo(8080);
        assertThat(settings.changed()).isEmpty();
    }

    @Test
    void tellsEveryProblemAtOnceInOneSentenceEach() throws IOException {
        Path file = file("web.portNumber: 70000\nweb.portnumbr: 1\nweb.flag: maybe\n");
        InvalidSettings refused =
                catchThrowableOfType(
                        InvalidSettings.class,
                        () ->
                                new SettingsLoader(ALL)
                                        .file(file)
                                        .overrides(Map.of("portNumber", "1"))
                                        .load());
        assertThat(refused.problems())
                .containsExactly(
                        "web.portNumber must be a whole number from 1 to 65535, not \"70000\" ("
                                + file
                                + ")",
                        "unknown setting web.portnumbr (" + file + ")",
                        "web.flag must be true or false, not \"maybe\" (" + file + ")",
                        "unknown setting portNumber (command line), did you mean web.portNumber?");
    }

    @Test
    void saysWhereAFileIsNotYaml() throws IOException {
        Path file = file("web:\n  names: [x, y\n");
        assertThatThrownBy(() -> new SettingsLoader(ALL).file(file).load())
                .isInstanceOf(InvalidSettings.class)
                .hasMessageContaining(file + " is not valid YAML at line")
                .hasMessageNotContaining("\n");
    }

    @Test
    void hidesSecretsAndRemarksUnknownVariables() {
        Settings settings =
                new SettingsLoader(ALL)
                        .environment(Map.of("MUSTER_WEB_SECRET", "s3cret", "MUSTER_WEB_PROT", "1"))
                        .load();
        assertThat(settings.get(SECRET)).isEqualTo("s3cret");
        assertThat(settings.changed()).containsExactly(Map.entry("web.secret", "***"));
        assertThat(settings.remarks())
                .containsExactly("the variable MUSTER_WEB_PROT names no setting");
    }

    @Test
    void refusesAKeyThatNobodyDeclared() {
        Settings settings = new SettingsLoader(List.of(PORT)).load();
        assertThatThrownBy(() -> settings.get(FLAG)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void everyDeclaredKeyHasADocAnOwnVariableAndADefaultWithinItsRange() {
        Settings defaults = Settings.defaults();
        Set<String> variables = new HashSet<>();
        for (Setting<?> each : Declarations.allSettings()) {
            assertThat(each.doc()).as(each.name()).endsWith(".");
            assertThat(variables.add(each.environmentName())).as(each.environmentName()).isTrue();
            assertThat(each.parse(each.defaultValue().toString().replaceAll("[\\[\\]]", "")))
                    .as(each.name())
                    .isEqualTo(defaults.get(each));
        }
    }

    private Path file(String text) throws IOException {
        return Files.writeString(dir.resolve("muster.yaml"), text);
    }

    @Test
    void describesEveryKeyOnOnePageWithoutSecrets() {
        String page = SettingsPage.markdown(ALL);
        assertThat(page.lines().skip(2).toList())
                .containsExactly(
                        "| `web.flag` | `MUSTER_WEB_FLAG` | `false` | true or false | Flag. |",
                        "| `web.names` | `MUSTER_WEB_NAMES` | `a` | a list, or names separated by"
                                + " commas | Names. |",
                        "| `web.portNumber` | `MUSTER_WEB_PORT_NUMBER` | `8080` | a whole number"
                                + " from 1 to 65535 | Port. |",
                        "| `web.secret` | `MUSTER_WEB_SECRET` | (secret) | text | Secret. |");
    }
}
