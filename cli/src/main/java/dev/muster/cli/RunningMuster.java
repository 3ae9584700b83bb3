package dev.muster.cli;

import dev.muster.executor.ExecutorRole;
import dev.muster.gateway.GatewayService;
import dev.muster.monitor.MonitorService;
import dev.muster.notifier.NotifierService;
import dev.muster.platform.config.InvalidSettings;
import dev.muster.platform.config.PlatformSettings;
import dev.muster.platform.config.Settings;
import dev.muster.platform.run.ServiceFailed;
import dev.muster.platform.run.ServiceRunner;
import dev.muster.scheduler.SchedulerService;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;

/** All services of {@code muster up} in this JVM, on their embedded servers. */
final class RunningMuster implements AutoCloseable {

    private final DataDirectory directory;
    private final EmbeddedStack servers;
    private final ServiceRunner services;
    private final URI url;
    private boolean closed;

    private RunningMuster(
            DataDirectory directory, EmbeddedStack servers, ServiceRunner services, URI url) {
        this.directory = directory;
        this.servers = servers;
        this.services = services;
        this.url = url;
    }

    /**
     * Blocks until everything serves; announces itself in the data directory.
     *
     * @throws CommandFailure with one sentence
     */
    static RunningMuster start(DataDirectory directory, Settings given) {
        directory.prepare();
        EmbeddedStack servers = EmbeddedStack.start(directory, given);
        try {
            ServiceRunner services = prepare(servers.lead(directory, given));
            try {
                return serve(directory, servers, services);
            } catch (RuntimeException e) {
                services.close();
                throw e;
            }
        } catch (ServiceFailed e) {
            servers.close();
            throw new CommandFailure(ExitCodes.FAILED, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            servers.close();
            throw e;
        }
    }

    static ServiceRunner prepare(Settings settings) {
        try {
            return ServiceRunner.prepare(settings);
        } catch (InvalidSettings e) {
            throw new CommandFailure(ExitCodes.USAGE, String.join("\n", e.problems()));
        }
    }

    private static RunningMuster serve(
            DataDirectory directory, EmbeddedStack servers, ServiceRunner services) {
        GatewayService gateway = new GatewayService();
        services.start(new SchedulerService());
        services.start(gateway);
        services.start(new ExecutorRole());
        services.start(new MonitorService());
        services.start(new NotifierService());
        URI url = url(services.context().settings(), gateway);
        announce(directory, url);
        return new RunningMuster(directory, servers, services, url);
    }

    /** Where clients of this machine reach the gateway. */
    static URI url(Settings settings, GatewayService gateway) {
        String host = settings.get(PlatformSettings.HTTP_HOST);
        return URI.create(
                "http://" + (host.equals("0.0.0.0") ? "127.0.0.1" : host) + ":" + gateway.port());
    }

    static void announce(DataDirectory directory, URI url) {
        try {
            PrivateFiles.write(directory.urlFile(), url + "\n");
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCodes.FAILED,
                    directory.urlFile() + " cannot be written: " + PrivateFiles.why(e));
        }
    }

    URI url() {
        return url;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            Files.deleteIfExists(directory.urlFile());
        } catch (IOException e) {
            // a stale address is found out by whoever connects to it
        }
        services.close();
        servers.close();
    }
}
