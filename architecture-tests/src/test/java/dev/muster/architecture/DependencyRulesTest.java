package dev.muster.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;

import dev.muster.agent.planted.ServesHttp;
import dev.muster.core.planted.ReadsTheClock;
import dev.muster.core.planted.Shuffles;
import dev.muster.executor.planted.EntryPoint;
import dev.muster.scheduler.planted.CallsTheExecutor;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.List;

class DependencyRulesTest {

    private static final ImportOption MAIN_CODE = location -> !location.contains("/test-classes/");

    @SuppressWarnings("NullAway.Init") // set before the first test
    private static JavaClasses code;

    @BeforeAll
    static void readTheMainCodeOfAllModules() {
        code = new ClassFileImporter().withImportOption(MAIN_CODE).importPackages("dev.muster");
        assertThat(code.contain("dev.muster.core.package-info")).isTrue();
    }

    @Test
    void servicesNeverUseEachOther() {
        ArchRule rule = DependencyRules.servicesNeverUseEachOther();
        rule.check(code);
        assertThat(violationsOf(rule, CallsTheExecutor.class, EntryPoint.class))
                .singleElement()
                .asString()
                .contains("CallsTheExecutor.call()>", "EntryPoint.run()");
    }

    @Test
    void decisionsDependOnTheirInputAlone() {
        ArchRule rule = DependencyRules.decisionsDependOnTheirInputAlone();
        rule.check(code);
        assertThat(violationsOf(rule, ReadsTheClock.class))
                .anyMatch(v -> v.contains("java.time.Instant.now()"))
                .anyMatch(v -> v.contains("java.lang.System.nanoTime()"))
                .anyMatch(v -> v.contains("java.util.UUID.randomUUID()"))
                .anyMatch(v -> v.contains("java.util.Random."))
                .anyMatch(v -> v.contains("io.vertx.core.Vertx"))
                .anyMatch(v -> v.contains("java.sql.Connection"));
    }

    @Test
    void decisionsIterateInOneOrder() {
        ArchRule rule = DependencyRules.decisionsIterateInOneOrder();
        rule.check(code);
        assertThat(violationsOf(rule, Shuffles.class))
                .anyMatch(v -> v.contains("java.util.HashMap."))
                .anyMatch(v -> v.contains("java.util.Set.of("))
                .anyMatch(v -> v.contains("java.util.stream.Collectors.toSet()"));
    }

    @Test
    void theAgentIsSmall() {
        ArchRule rule = DependencyRules.theAgentIsSmall();
        rule.check(code);
        assertThat(violationsOf(rule, ServesHttp.class)).isNotEmpty();
    }

    @Test
    void onlyEntryPointsOfServicesArePublic() {
        ArchRule rule = DependencyRules.onlyEntryPointsOfServicesArePublic();
        assertThatCode(() -> rule.allowEmptyShould(true).check(code)).doesNotThrowAnyException();
        assertThat(violationsOf(rule, CallsTheExecutor.class, EntryPoint.class))
                .containsExactly(CallsTheExecutor.class.getName() + " is public for nobody");
    }

    private static List<String> violationsOf(ArchRule rule, Class<?>... planted) {
        return rule.evaluate(new ClassFileImporter().importClasses(planted))
                .getFailureReport()
                .getDetails();
    }
}
