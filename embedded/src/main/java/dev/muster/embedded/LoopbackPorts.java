package dev.muster.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** TCP ports of 127.0.0.1 that nobody listens on. */
public final class LoopbackPorts {
    /** Where every embedded server listens. */
    static final String HOST = "127.0.0.1";

    // Below the ephemeral range of Linux (32768 and up): a port from there may be held by
    // somebody's
    // outgoing connection the next time the server starts.
    private static final int FIRST = 15_000;
    private static final int AFTER_LAST = 32_000;
    private static final int ATTEMPTS = 200;

    private LoopbackPorts() {}

    /**
     * A port that is free now. Another process may take it before the caller does, so whoever binds
     * it has to be ready to choose again.
     */
    public static int free() {
        for (int i = 0; i < ATTEMPTS; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, AFTER_LAST);
            if (isFree(port)) {
                return port;
            }
        }
        throw new EmbeddedServerException(
                "No free port was found on 127.0.0.1 between "
                        + FIRST
                        + " and "
                        + AFTER_LAST
                        + ".");
    }

    /** Whether a server could listen on this port of 127.0.0.1 now. */
    public static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            // As the servers do: a port with only closed connections in TIME_WAIT is free.
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral(HOST), port));
            return true;
        } catch (IOException _) {
            return false;
        }
    }
}
