package dev.muster.scheduler;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands before a PostgreSQL and cuts a connection around a statement that it is told to watch for.
 */
final class CuttingProxy implements AutoCloseable {

    /** Where the connection is cut. */
    enum Cut {
        /** The statement never arrives. */
        BEFORE_THE_STATEMENT,
        /** The server has answered, that is committed; the answer never arrives. */
        BEFORE_THE_ANSWER
    }

    private final ServerSocket server;
    private final int target;
    private final byte[] marker;
    private final AtomicInteger cuts = new AtomicInteger();
    private volatile @Nullable Cut armed;

    /**
     * @param target port on this host
     * @param marker text in the statements to watch for
     */
    CuttingProxy(int target, String marker) {
        this.target = target;
        this.marker = marker.getBytes(StandardCharsets.UTF_8);
        try {
            this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofPlatform().daemon().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** Cuts at the next such statement. */
    void arm(Cut cut) {
        armed = cut;
    }

    /** Connections cut so far. */
    int cuts() {
        return cuts.get();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Socket upstream = new Socket(InetAddress.getLoopbackAddress(), target);
                Link link = new Link(client, upstream);
                Thread.ofPlatform().daemon().start(link::requests);
                Thread.ofPlatform().daemon().start(link::answers);
            } catch (IOException e) {
                return;
            }
        }
    }

    private final class Link {
        private final Socket client;
        private final Socket upstream;
        private volatile boolean cutNextAnswer;

        Link(Socket client, Socket upstream) {
            this.client = client;
            this.upstream = upstream;
        }

        void requests() {
            byte[] buffer = new byte[1 << 20];
            try (client;
                    upstream) {
                InputStream in = client.getInputStream();
                OutputStream out = upstream.getOutputStream();
                int read;
                while ((read = in.read(buffer)) > 0) {
                    Cut cut = armed;
                    if (cut != null && contains(buffer, read)) {
                        armed = null;
                        if (cut == Cut.BEFORE_THE_STATEMENT) {
                            cuts.incrementAndGet();
                            return;
                        }
                        cutNextAnswer = true;
                    }
                    out.write(buffer, 0, read);
                }
            } catch (IOException e) {
                // cut, or one side has left
            }
        }

        void answers() {
            byte[] buffer = new byte[1 << 20];
            try (client;
                    upstream) {
                InputStream in = upstream.getInputStream();
                OutputStream out = client.getOutputStream();
                int read;
                while ((read = in.read(buffer)) > 0) {
                    if (cutNextAnswer) {
                        cuts.incrementAndGet();
                        return;
                    }
                    out.write(buffer, 0, read);
                }
            } catch (IOException e) {
                // cut, or one side has left
            }
        }
    }

    private boolean contains(byte[] buffer, int length) {
        for (int i = 0; i + marker.length <= length; i++) {
            if (Arrays.equals(buffer, i, i + marker.length, marker, 0, marker.length)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
