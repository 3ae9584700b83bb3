package dev.muster.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

import dev.muster.platform.config.Declarations;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Who may use what. */
final class DependencyRules {

    /** The services, by the package of each; those that come later are held from their start. */
    static final List<String> SERVICES =
            List.of("scheduler", "executor", "gateway", "monitor", "notifier");

    private static final String[] PURE = {"dev.muster.domain..", "dev.muster.core.."};

    /** Everything that makes a decision depend on more than its input. */
    private static final String[] OUTSIDE_WORLD = {
        "io.vertx..",
        "io.netty..",
        "org.apache.kafka..",
        "java.sql..",
        "javax.sql..",
        "com.fasterxml..",
        "tools.jackson..",
        "org.slf4j..",
        "java.nio.file..",
        "java.nio.channels..",
        "java.net.http..",
        "java.util.random..",
    };

    private static final Set<String> FORBIDDEN_TYPES =
            Set.of(
                    "java.io.File",
                    "java.io.FileInputStream",
                    "java.io.FileOutputStream",
                    "java.io.RandomAccessFile",
                    "java.net.Socket",
                    "java.net.ServerSocket",
                    "java.time.Clock",
                    "java.time.InstantSource",
                    "java.lang.Thread",
                    "java.util.Timer",
                    "java.util.Random",
                    "java.util.SplittableRandom",
                    "java.util.concurrent.ThreadLocalRandom",
                    "java.security.SecureRandom");

    /** Their iteration follows hash codes, which for enums and objects differ from JVM to JVM. */
    private static final Set<String> UNORDERED_TYPES =
            Set.of(
                    "java.util.HashMap",
                    "java.util.HashSet",
                    "java.util.Hashtable",
                    "java.util.IdentityHashMap",
                    "java.util.WeakHashMap",
                    "java.util.concurrent.ConcurrentHashMap");

    /** By owner: methods that read a clock, draw a random number or ask the machine. */
    private static final Map<String, Set<String>> FORBIDDEN_CALLS =
            Map.ofEntries(
                    Map.entry(
                            "java.lang.System",
                            Set.of(
                                    "currentTimeMillis",
                                    "nanoTime",
                                    "identityHashCode",
                                    "getenv",
                                    "getProperty")),
                    Map.entry("java.lang.Math", Set.of("random")),
                    Map.entry("java.lang.StrictMath", Set.of("random")),
                    Map.entry("java.util.UUID", Set.of("randomUUID")),
                    Map.entry("java.time.Instant", Set.of("now")),
                    Map.entry("java.time.LocalDate", Set.of("now")),
                    Map.entry("java.time.LocalDateTime", Set.of("now")),
                    Map.entry("java.time.LocalTime", Set.of("now")),
                    Map.entry("java.time.OffsetDateTime", Set.of("now")),
                    Map.entry("java.time.ZonedDateTime", Set.of("now")),
                    Map.entry("java.time.Year", Set.of("now")),
                    Map.entry("java.time.ZoneId", Set.of("systemDefault")),
                    Map.entry("java.util.Locale", Set.of("getDefault")),
                    Map.entry("java.util.TimeZone", Set.of("getDefault")),
                    Map.entry("java.util.Date", Set.of("<init>")),
                    Map.entry("java.lang.Object", Set.of("hashCode")));

    /** By owner: methods whose result is iterated in an order that differs from JVM to JVM. */
    private static final Map<String, Set<String>> UNORDERED_CALLS =
            Map.of(
                    "java.util.Set",
                    Set.of("of", "copyOf"),
                    "java.util.Map",
                    Set.of("of", "ofEntries", "copyOf"),
                    "java.util.stream.Collectors",
                    Set.of("toSet", "toUnmodifiableSet", "toUnmodifiableMap"));

    /**
     * Classes of core and domain that may hold an unordered collection, since they look things up
     * and never iterate. A class comes here with its reason.
     */
    static final Set<String> LOOKUP_ONLY =
            Set.of(
                    // where each name was used first
                    "dev.muster.domain.NameRules");

    private DependencyRules() {}

    static ArchRule servicesNeverUseEachOther() {
        return CompositeArchRule.of(
                SERVICES.stream()
                        .map(service ->
                                noClasses()
                                        .that(resideInAPackage(packageOf(service)))
                                        .should()
                                        .dependOnClassesThat(
                                                resideInAnyPackage(othersThan(service)))
                                        .allowEmptyShould(true)
                                        .as(service + " uses no other service"))
                        .map(ArchRule.class::cast)
                        .toList());
    }

    static ArchRule decisionsDependOnTheirInputAlone() {
        return classes()
                .that(resideInAnyPackage(PURE))
                .should(useNothingThat(describe("reach outside", DependencyRules::reachesOutside)))
                .as("domain and core see no I/O, clock or randomness");
    }

    static ArchRule decisionsIterateInOneOrder() {
        return classes()
                .that(resideInAnyPackage(PURE))
                .and(
                        describe(
                                "are not known to look things up only",
                                c -> !LOOKUP_ONLY.contains(outermost(c).getName())))
                .should(useNothingThat(describe("is unordered", DependencyRules::isUnordered)))
                .as("domain and core hold no collection without an order");
    }

    static ArchRule theAgentIsSmall() {
        return noClasses()
                .that(resideInAnyPackage("dev.muster.agent..", "dev.muster.storage.."))
                .should()
                .dependOnClassesThat(
                        resideInAnyPackage(
                                "io.vertx..",
                                "io.netty..",
                                "org.apache.kafka..",
                                "dev.muster.platform..",
                                "dev.muster.core..",
                                "dev.muster.domain.."))
                .as("agent and storage see no Vert.x, Kafka or service");
    }

    static ArchRule onlyEntryPointsOfServicesArePublic() {
        return classes()
                .that(
                        resideInAnyPackage(
                                SERVICES.stream()
                                        .map(DependencyRules::packageOf)
                                        .toArray(String[]::new)))
                .and(describe("are public", c -> c.getModifiers().contains(JavaModifier.PUBLIC)))
                .and(describe("stand alone", JavaClass::isTopLevelClass))
                // found by ServiceLoader, which asks for a public class
                .and(describe("declare no settings", c -> !c.isAssignableTo(Declarations.class)))
                .should(beUsedFromAnotherPackage())
                .as("a service's class is public only where another package uses it");
    }

    private static String packageOf(String service) {
        return "dev.muster." + service + "..";
    }

    private static String[] othersThan(String service) {
        return SERVICES.stream()
                .filter(other -> !other.equals(service))
                .map(DependencyRules::packageOf)
                .toArray(String[]::new);
    }

    private static boolean reachesOutside(Object used) {
        return switch (used) {
            case JavaClass type ->
                    FORBIDDEN_TYPES.contains(type.getName())
                            || resideInAnyPackage(OUTSIDE_WORLD).test(type);
            case JavaAccess<?> access -> reaches(access, FORBIDDEN_CALLS);
            default -> false;
        };
    }

    private static boolean isUnordered(Object used) {
        return switch (used) {
            case JavaClass type -> UNORDERED_TYPES.contains(type.getName());
            case JavaAccess<?> access -> reaches(access, UNORDERED_CALLS) && !isEmpty(access);
            default -> false;
        };
    }

    /** {@code Set.of()} has but one order. */
    private static boolean isEmpty(JavaAccess<?> access) {
        return access instanceof JavaMethodCall call
                && call.getName().equals("of")
                && call.getTarget().getRawParameterTypes().isEmpty();
    }

    private static boolean reaches(JavaAccess<?> access, Map<String, Set<String>> methods) {
        return methods.getOrDefault(access.getTargetOwner().getName(), Set.of())
                .contains(access.getName());
    }

    /** Looks at the types that a class depends on and at the calls that it makes. */
    private static ArchCondition<JavaClass> useNothingThat(DescribedPredicate<Object> forbidden) {
        return new ArchCondition<>("use nothing that " + forbidden.getDescription()) {
            @Override
            public void check(JavaClass user, ConditionEvents events) {
                for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
                    if (forbidden.test(dependency.getTargetClass())) {
                        events.add(
                                SimpleConditionEvent.violated(user, dependency.getDescription()));
                    }
                }
                user.getAccessesFromSelf().stream()
                        .filter(forbidden)
                        .map(access -> SimpleConditionEvent.violated(user, access.getDescription()))
                        .forEach(events::add);
            }
        };
    }

    private static ArchCondition<JavaClass> beUsedFromAnotherPackage() {
        return new ArchCondition<>("be used from another package") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                boolean used =
                        type.getDirectDependenciesToSelf().stream()
                                .map(Dependency::getOriginClass)
                                .anyMatch(u -> !u.getPackageName().equals(type.getPackageName()));
                if (!used) {
                    events.add(
                            SimpleConditionEvent.violated(
                                    type, type.getName() + " is public for nobody"));
                }
            }
        };
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(DependencyRules::outermost).orElse(type);
    }
}
