package dev.muster.platform.observe;

import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.Comparator;

/** What a process can tell of itself that no metric does. */
public final class Diagnostics {

    private Diagnostics() {}

    /** The last lines of the log. */
    public static String log() {
        return RecentLog.INSTANCE.text();
    }

    /** All platform threads with their stacks and what they wait for, in order of name. */
    public static String threads() {
        ThreadInfo[] all = ManagementFactory.getThreadMXBean().dumpAllThreads(true, true);
        Arrays.sort(all, Comparator.comparing(ThreadInfo::getThreadName));
        StringBuilder text = new StringBuilder();
        for (ThreadInfo each : all) {
            text.append('"').append(each.getThreadName()).append("\" ");
            text.append(each.getThreadState()).append('\n');
            LockInfo lock = each.getLockInfo();
            if (lock != null) {
                text.append("    waits for ").append(lock);
                if (each.getLockOwnerName() != null) {
                    text.append(" held by \"").append(each.getLockOwnerName()).append('"');
                }
                text.append('\n');
            }
            for (StackTraceElement frame : each.getStackTrace()) {
                text.append("    at ").append(frame).append('\n');
            }
            text.append('\n');
        }
        return text.toString();
    }
}
