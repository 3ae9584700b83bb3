package dev.muster.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The jobs of a comparison on Slurm, in the two ways its users have: an {@code sbatch} for each
 * job, from a few shells at once, and one job array.
 */
final class SlurmRounds {

    private static final int SHELLS = 4;
    private static final long LOOK_MILLIS = 100;
    private static final int WARM_JOBS = 100;

    /** Jobs a second of one way, and the forks that each took. */
    record Figures(double perSecond, double forksPerJob) {}

    /** Both ways: the median round of each. */
    record Both(Figures single, Figures array) {

        boolean arrayIsBetter() {
            return array.perSecond() > single.perSecond();
        }

        Figures better() {
            return arrayIsBetter() ? array : single;
        }
    }

    private final SlurmUnderTest slurm;
    private final ExitRecords records;
    private final int jobs;

    private SlurmRounds(SlurmUnderTest slurm, ExitRecords records, int jobs) {
        this.slurm = slurm;
        this.records = records;
        this.jobs = jobs;
    }

    static Both run(ExitRecords records, int nodes, int jobs, int rounds) {
        try (SlurmUnderTest slurm = SlurmUnderTest.start(nodes)) {
            Forks forks = Forks.idle();
            new SlurmRounds(slurm, records, WARM_JOBS).round(forks, false);
            SlurmRounds measured = new SlurmRounds(slurm, records, jobs);
            List<Figures> single = new ArrayList<>();
            List<Figures> array = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                single.add(measured.round(forks, false));
                Progress.say(
                        "Slurm, a job each: %.1f jobs/s".formatted(single.getLast().perSecond()));
                array.add(measured.round(forks, true));
                Progress.say(
                        "Slurm, one array: %.1f jobs/s".formatted(array.getLast().perSecond()));
            }
            return new Both(median(single), median(array));
        }
    }

    private static Figures median(List<Figures> rounds) {
        return rounds.stream()
                .sorted(java.util.Comparator.comparingDouble(Figures::perSecond))
                .toList()
                .get(rounds.size() / 2);
    }

    private Figures round(Forks forks, boolean array) {
        records.clear();
        slurm.run(List.of("sdiag", "-r"));
        forks.begin();
        long began = System.nanoTime();
        if (array) {
            submit("--array=1-" + jobs);
        } else {
            submitEach();
        }
        while (completed() < jobs) {
            SlurmUnderTest.pause(LOOK_MILLIS);
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        double made = forks.end();
        records.check(jobs);
        return new Figures(jobs / seconds, made / jobs);
    }

    private void submit(String... options) {
        List<String> command = new ArrayList<>(List.of("sbatch", "-Q", "-o", "/dev/null"));
        command.addAll(List.of("--chdir=" + Path.of("/"), "--cpus-per-task=1", "--gres=gpu:1"));
        command.addAll(List.of(options));
        command.add("--wrap=" + records.command());
        slurm.run(command);
    }

    private void submitEach() {
        AtomicInteger left = new AtomicInteger(jobs);
        try (ExecutorService shells = Executors.newFixedThreadPool(SHELLS)) {
            List<Callable<Boolean>> all = new ArrayList<>();
            for (int shell = 0; shell < SHELLS; shell++) {
                all.add(() -> {
                    while (left.getAndDecrement() > 0) {
                        submit();
                    }
                    return true;
                });
            }
            for (Future<Boolean> each : shells.invokeAll(all)) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new BenchFailed("sbatch failed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchFailed("interrupted", e);
        }
    }

    private long completed() {
        return slurm.run(List.of("sdiag"))
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith("Jobs completed:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
                .sum();
    }
}
