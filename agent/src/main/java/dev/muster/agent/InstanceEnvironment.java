package dev.muster.agent;

import java.util.List;
import java.util.Map;

/**
 * What the environment of an instance is built from (job specification, section 6).
 *
 * <p>The user's variables stand above defaults ({@code PATH}, {@code LANG}, the framework's), never
 * above reserved ones: {@code MA_*}, {@code VC_*} and {@code MUSTER_*}, of which {@code
 * MA_HANG_DETECT_TIME} alone is the user's.
 *
 * @param jobName {@code MA_VJ_NAME}
 * @param taskName {@code MA_TASK_NAME}, {@code worker}
 * @param hosts one per instance, in order of index: {@code VC_WORKER_HOSTS}; addresses on the local
 *     backend. The first is {@code MASTER_ADDR}, the one at the instance's index {@code
 *     MA_CURRENT_IP}
 * @param accelerators of this instance, 0 on CPU: {@code MA_NUM_GPUS}
 * @param framework decides the distributed variables
 * @param masterPort {@code MASTER_PORT}; a free one per attempt on the local backend
 * @param scheduleCount {@code MA_SCHEDULE_CNT}, from 1
 * @param path {@code PATH}, unless the job sets one
 * @param user the job's own variables
 */
public record InstanceEnvironment(
        String jobName,
        String taskName,
        List<String> hosts,
        int accelerators,
        Framework framework,
        int masterPort,
        int scheduleCount,
        String path,
        Map<String, String> user) {

    /** Decides the distributed environment. */
    public enum Framework {
        CUSTOM,
        PYTORCH
    }

    public InstanceEnvironment {
        if (hosts.isEmpty()) {
            throw new IllegalArgumentException("hosts is empty: one per instance is expected");
        }
        if (masterPort < 1 || masterPort > 65_535) {
            throw new IllegalArgumentException("master port " + masterPort + " is no port");
        }
        hosts = List.copyOf(hosts);
        user = Map.copyOf(user);
    }
}
