package dev.muster.domain;

import dev.muster.domain.JobSpec.Code;

import org.jspecify.annotations.Nullable;

/** What runs: a command, or a boot file in a code directory, and where it runs. */
final class CodeRules {

    private CodeRules() {}

    static void check(JobSpec spec, Findings findings) {
        Code code = spec.code();
        String command = spec.command();
        String bootFile = code.bootFile();
        if (command == null && bootFile == null) {
            findings.add(
                    "command", "", "is missing", "a command, or a codeDir with a bootFile in it");
        } else if (command != null && bootFile != null) {
            findings.add("bootFile", bootFile, "is given beside a command", "one of the two");
        }
        if (command != null) {
            command(command, findings);
        }
        if (bootFile != null) {
            bootFile(code.codeDir(), bootFile, findings);
        }
        if (code.codeDir() != null) {
            DataRules.location("codeDir", code.codeDir(), findings);
        }
        directories(code, findings);
    }

    private static void command(String command, Findings findings) {
        if (command.isBlank()) {
            findings.add("command", command, "is blank", "what sh -c is to run");
        }
        findings.atMost("command", command, Limit.COMMAND_LENGTH);
    }

    private static void bootFile(@Nullable String codeDir, String bootFile, Findings findings) {
        if (codeDir == null) {
            findings.add("codeDir", "", "is missing", "where the bootFile lies");
        }
        if (!LocalPath.isNormalRelative(bootFile)) {
            findings.add(
                    "bootFile",
                    bootFile,
                    "is a path below codeDir",
                    "relative, without . and .. elements");
        }
        if (!bootFile.endsWith(".py") && !bootFile.endsWith(".sh")) {
            findings.add("bootFile", bootFile, "is of an unknown kind", "….py or ….sh");
        }
        findings.atMost("bootFile", bootFile, Limit.LOCAL_PATH_LENGTH);
    }

    private static void directories(Code code, Findings findings) {
        String local = code.localCodeDir();
        if (!LocalPath.isNormalAbsolute(local)) {
            findings.add("localCodeDir", local, "is no directory of an instance", LocalPath.FORM);
        } else if (!LocalPath.mayHoldCode(local)) {
            findings.add(
                    "localCodeDir",
                    local,
                    "is a place that code may not take",
                    "under /home; not /home/ma-user nor its modelarts, modelarts-dev, infer,"
                            + " except "
                            + Code.DEFAULT_LOCAL_CODE_DIR);
        }
        findings.atMost("localCodeDir", local, Limit.LOCAL_PATH_LENGTH);
        String working = code.workingDir();
        if (working != null) {
            if (!LocalPath.isNormalAbsolute(working)) {
                findings.add(
                        "workingDir", working, "is no directory of an instance", LocalPath.FORM);
            }
            findings.atMost("workingDir", working, Limit.LOCAL_PATH_LENGTH);
        }
    }
}
