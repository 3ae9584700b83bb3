package dev.muster.simulation;

import dev.muster.core.CoreSettings;
import dev.muster.core.PoolCore;
import dev.muster.domain.Ask;
import dev.muster.domain.JobId;
import dev.muster.domain.JobSnapshot;
import dev.muster.domain.PoolSnapshot;
import dev.muster.platform.codec.SnapshotCodec;
import dev.muster.scheduler.StoredSnapshot;

import java.util.ArrayList;
import java.util.List;

/** Bugs of taking and loading a snapshot: state and hash are wrong together. */
final class PlantedSnapshots {

    private PlantedSnapshots() {}

    /** The first job that holds nodes is not in it. */
    static final class DropsGrant extends Plant {
        @Override
        StoredSnapshot written(StoredSnapshot snapshot) {
            PoolSnapshot state = SnapshotCodec.decode(snapshot.whole());
            List<JobSnapshot> jobs = new ArrayList<>(state.jobs());
            for (JobSnapshot each : state.jobs()) {
                if (!each.placements().isEmpty()) {
                    jobs.remove(each);
                    break;
                }
            }
            return with(snapshot, state, jobs);
        }
    }

    /** The first grant that holds no device is counted once more, as if for another job. */
    static final class DoublesUsage extends Plant {
        @Override
        StoredSnapshot loaded(StoredSnapshot snapshot) {
            PoolSnapshot state = SnapshotCodec.decode(snapshot.whole());
            List<JobSnapshot> jobs = new ArrayList<>();
            boolean doubled = false;
            for (JobSnapshot each : state.jobs()) {
                jobs.add(each);
                boolean plain = each.ask().perInstance().acceleratorThousandths() == 0;
                if (!doubled && plain && !each.placements().isEmpty()) {
                    doubled = true;
                    jobs.add(again(each));
                }
            }
            return with(snapshot, state, jobs);
        }

        private static JobSnapshot again(JobSnapshot job) {
            Ask ask = job.ask();
            JobId other = new JobId(ask.job().hi(), ~ask.job().lo());
            return new JobSnapshot(
                    ask.forJob(other),
                    job.name(),
                    job.specHash(),
                    job.submittedSeq() + 1,
                    job.state(),
                    job.reason(),
                    job.attempt(),
                    job.placements(),
                    job.instances(),
                    job.processStart(),
                    job.endCause(),
                    job.endMessage(),
                    job.endCommandId(),
                    job.endRequestedBy(),
                    job.runningSinceMillis(),
                    job.ranMillis(),
                    job.recovery());
        }
    }

    private static StoredSnapshot with(
            StoredSnapshot snapshot, PoolSnapshot state, List<JobSnapshot> jobs) {
        PoolSnapshot changed = state.withJobs(jobs);
        return new StoredSnapshot(
                snapshot.seq(),
                PoolCore.load(changed, CoreSettings.DEFAULT).stateHash(),
                snapshot.positions(),
                snapshot.codeVersion(),
                SnapshotCodec.encode(changed));
    }
}
