package dev.muster.domain;

import java.util.List;

/**
 * The rules of a job specification that need nothing but the specification itself. Which rule comes
 * from where is said in {@link Limit} and at the checks.
 */
public final class JobSpecRules {

    private JobSpecRules() {}

    /**
     * Every broken rule, in the order of the fields; empty when the specification may be accepted.
     */
    public static List<Violation> check(JobSpec spec, Limits limits) {
        Findings findings = new Findings(limits);
        identity(spec, findings);
        size(spec, findings);
        CodeRules.check(spec, findings);
        NameRules.check(spec, findings);
        DataRules.check(spec, findings);
        RecoveryRules.check(spec.recovery(), findings);
        return findings.list();
    }

    private static void identity(JobSpec spec, Findings findings) {
        if (spec.name().isEmpty()
                || spec.name().length() > findings.limit(Limit.NAME_LENGTH)
                || !NameRules.isJobName(spec.name())) {
            findings.add(
                    "name",
                    spec.name(),
                    "is a name of letters, digits, _ and -",
                    "1 to " + findings.limit(Limit.NAME_LENGTH) + " characters");
        }
        findings.atMost("description", spec.description(), Limit.DESCRIPTION_LENGTH);
    }

    private static void size(JobSpec spec, Findings findings) {
        findings.within("priority", spec.priority(), 1, findings.limit(Limit.PRIORITY));
        findings.within("instances", spec.instances(), 1, findings.limit(Limit.INSTANCES));
        findings.within(
                "autoStopHours", spec.autoStopHours(), 0, findings.limit(Limit.AUTO_STOP_HOURS));
        Resources amount = spec.resources().amount();
        long cores = findings.limit(Limit.CPU_CORES);
        if (amount.cpuMillis() > cores * 1000) {
            findings.add("resources.cpu", amount.cpuMillis() + "m", "is too large", "0.." + cores);
        }
        long gibibytes = findings.limit(Limit.MEMORY_GIBIBYTES);
        if (amount.memoryMebibytes() > gibibytes * 1024) {
            findings.add(
                    "resources.memory",
                    amount.memoryMebibytes() + "Mi",
                    "is too large",
                    "0.." + gibibytes + "Gi");
        }
        accelerators(spec.resources(), findings);
    }

    private static void accelerators(JobSpec.ResourceAsk resources, Findings findings) {
        int thousandths = resources.amount().acceleratorThousandths();
        long devices = findings.limit(Limit.ACCELERATORS);
        if (thousandths > devices * 1000) {
            findings.add(
                    "resources.accelerators",
                    thousandths / 1000.0,
                    "is too large",
                    "0.." + devices);
        } else if (thousandths > 1000 && thousandths % 1000 != 0) {
            findings.add(
                    "resources.accelerators",
                    thousandths / 1000.0,
                    "is a share of one device or a whole number of devices",
                    "0.001..1, or 2, 3, …");
        }
        String model = resources.accelerator();
        String path = "resources.acceleratorModel";
        if (!model.isEmpty() && !NameRules.isModel(model)) {
            findings.add(path, model, "is a model of letters, digits, . _ and -", "");
        }
        findings.atMost(path, model, Limit.ACCELERATOR_MODEL_LENGTH);
        if (!model.isEmpty() && thousandths == 0) {
            findings.add(path, model, "is given, but no accelerators are asked for", "");
        }
    }
}
