package dev.muster.agent;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The whole environment of one process start; see {@link InstanceEnvironment}. */
final class Variables {

    private static final String USERS_OWN = "MA_HANG_DETECT_TIME";

    private final InstancePlan plan;
    private final InstanceEnvironment environment;
    private final InstanceDirectories directories;
    private final SortedMap<String, String> variables = new TreeMap<>();

    private Variables(InstancePlan plan) {
        this.plan = plan;
        this.environment = plan.environment();
        this.directories = plan.directories();
    }

    static SortedMap<String, String> of(InstancePlan plan, int processStart) {
        Variables all = new Variables(plan);
        all.addDefaults();
        switch (plan.environment().framework()) {
            case CUSTOM -> {}
            case PYTORCH -> all.addPyTorch();
        }
        all.addUsers();
        all.addData();
        all.addReserved(processStart);
        return Collections.unmodifiableSortedMap(all.variables);
    }

    static boolean isReserved(String name) {
        return (name.startsWith("MA_") && !name.equals(USERS_OWN))
                || name.startsWith("VC_")
                || name.startsWith("MUSTER_");
    }

    private void addDefaults() {
        variables.put("PATH", environment.path());
        variables.put("HOME", directories.home().toString());
        variables.put("LANG", "C.UTF-8");
        // a command that hangs is ended by SIGABRT, on which Python then says where
        variables.put("PYTHONFAULTHANDLER", "1");
        plan.user().ifPresent(user -> variables.put("USER", user));
    }

    /** Of torch.distributed, and torchrun's own for its use without arguments. */
    private void addPyTorch() {
        String nodes = String.valueOf(environment.hosts().size());
        String rank = String.valueOf(plan.id().index());
        String perNode = String.valueOf(Math.max(1, environment.accelerators()));
        String address = environment.hosts().getFirst();
        String port = String.valueOf(environment.masterPort());
        variables.put("MASTER_ADDR", address);
        variables.put("MASTER_PORT", port);
        variables.put("RANK", rank);
        variables.put("WORLD_SIZE", nodes);
        variables.put("NPROC_PER_NODE", perNode);
        variables.put("PET_MASTER_ADDR", address);
        variables.put("PET_MASTER_PORT", port);
        variables.put("PET_NODE_RANK", rank);
        variables.put("PET_NNODES", nodes);
        variables.put("PET_NPROC_PER_NODE", perNode);
    }

    private void addUsers() {
        environment
                .user()
                .forEach((name, value) -> {
                    if (!isReserved(name)) {
                        variables.put(name, value);
                    }
                });
    }

    private void addData() {
        for (int n = 0; n < plan.inputs().size(); n++) {
            InputPlan input = plan.inputs().get(n);
            if (input.access() == Access.ENV) {
                variables.put(input.name(), directories.input(input.name(), n).toString());
            }
        }
        for (int n = 0; n < plan.outputs().size(); n++) {
            OutputPlan output = plan.outputs().get(n);
            if (output.access() == Access.ENV) {
                variables.put(output.name(), directories.output(output.name(), n).toString());
            }
        }
    }

    private void addReserved(int processStart) {
        List<String> hosts = environment.hosts();
        int index = plan.id().index();
        variables.put("MA_HOME", directories.home().toString());
        variables.put("MA_MOUNT_PATH", directories.mount().toString());
        variables.put("MA_JOB_DIR", directories.local(plan.localCodeDir()).toString());
        variables.put("MA_LOG_DIR", directories.logs().toString());
        variables.put("MA_NUM_HOSTS", String.valueOf(hosts.size()));
        variables.put("MA_NUM_GPUS", String.valueOf(environment.accelerators()));
        variables.put("MA_TASK_NAME", environment.taskName());
        variables.put("MA_VJ_NAME", environment.jobName());
        variables.put("MA_CURRENT_IP", hosts.get(Math.min(index, hosts.size() - 1)));
        variables.put("VC_TASK_INDEX", String.valueOf(index));
        variables.put("VC_WORKER_NUM", String.valueOf(hosts.size()));
        variables.put("VC_WORKER_HOSTS", hosts.stream().collect(Collectors.joining(",")));
        variables.put("MA_SCHEDULE_CNT", String.valueOf(environment.scheduleCount()));
        variables.put("MA_PROC_START_CNT", String.valueOf(processStart));
        variables.put("MUSTER_CACHE_DIR", directories.cache().toString());
        variables.put("MUSTER_INSTANCE", plan.id().mark(processStart));
    }
}
