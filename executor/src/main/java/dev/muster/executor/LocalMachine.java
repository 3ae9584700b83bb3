package dev.muster.executor;

import dev.muster.agent.Adoption;
import dev.muster.agent.AgentSettings;
import dev.muster.agent.InstanceDirectories;
import dev.muster.agent.InstancePlan;
import dev.muster.domain.InstanceRef;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Semaphore;

/**
 * What all sessions of the local backend share.
 *
 * @param turns instances that may be made or adopted at the same time
 */
record LocalMachine(
        InstanceTree tree,
        MeetingPlaces meetings,
        AgentSettings agents,
        InstancePlans.Rules rules,
        Semaphore turns) {

    /** Whether anything was begun in the instance's directory. */
    boolean hasPlan(InstanceRef instance) throws IOException {
        try {
            return Adoption.examine(tree.instance(instance)).id().index() == instance.index();
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    InstancePlan plan(Grant grant, InstanceRef instance, Path root) throws IOException {
        Path attempt = tree.attempt(instance.job(), instance.attempt());
        Path index = attempt.resolve(Integer.toString(instance.index()));
        for (Path each : new Path[] {attempt.getParent(), attempt, index}) {
            Files.createDirectories(each);
            // whatever the umask: a command that runs as another user passes through
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwx--x--x"));
        }
        Rendezvous rendezvous =
                meetings.of(
                        new InstanceTree.Attempt(instance.job(), instance.attempt()),
                        grant.spec().instances());
        return InstancePlans.of(grant, instance, root, rendezvous, rules);
    }

    /** All processes of the attempt are dead: its files await their retention. */
    void ended(InstanceTree.Attempt attempt) throws IOException {
        for (InstanceRef each : tree.instances(attempt)) {
            InstanceDirectories directories = new InstanceDirectories(tree.instance(each));
            TreeDeletion.deleteBelow(directories.cache());
            TreeDeletion.deleteBelow(directories.mount().resolve("inputs"));
        }
        tree.markEnded(attempt);
        agents.failpoint().accept("executor.attempt.ended");
        meetings.forget(attempt);
    }
}
