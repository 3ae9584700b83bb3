package dev.muster.cli;

import dev.muster.platform.config.Setting;

import java.util.List;

/** From where on {@code muster doctor} calls something wrong. */
final class DoctorSettings {

    static final Setting<Integer> DISK_PERCENT =
            Setting.integer(
                    "doctor.diskFreePercent",
                    5,
                    0,
                    100,
                    "Least free space of the data directory's disk, in percent.");

    static final Setting<Integer> DISK_MEBIBYTES =
            Setting.integer(
                    "doctor.diskFreeMebibytes",
                    1024,
                    0,
                    1 << 30,
                    "Least free space of the data directory's disk.");

    static final Setting<Integer> INODES_PERCENT =
            Setting.integer(
                    "doctor.inodesFreePercent",
                    5,
                    0,
                    100,
                    "Least free inodes of the data directory's disk, in percent.");

    static final Setting<Integer> LAG_RECORDS =
            Setting.integer(
                    "doctor.lagRecords",
                    10_000,
                    0,
                    1_000_000_000,
                    "Records or events that a reader may be behind.");

    static final Setting<Integer> DELIVERY_SECONDS =
            Setting.integer(
                    "doctor.deliverySeconds",
                    300,
                    1,
                    604_800,
                    "Age of the oldest delivery that waits.");

    static final Setting<Integer> SKEW_MILLIS =
            Setting.integer(
                    "doctor.skewMillis",
                    1_000,
                    1,
                    3_600_000,
                    "Difference of two clocks, beyond what asking took.");

    static final Setting<Integer> OPEN_FILES =
            Setting.integer(
                    "doctor.openFiles",
                    4_096,
                    1,
                    1_000_000_000,
                    "Least limit of open files of a process.");

    static final List<Setting<?>> ALL =
            List.of(
                    DISK_PERCENT,
                    DISK_MEBIBYTES,
                    INODES_PERCENT,
                    LAG_RECORDS,
                    DELIVERY_SECONDS,
                    SKEW_MILLIS,
                    OPEN_FILES);

    private DoctorSettings() {}
}
