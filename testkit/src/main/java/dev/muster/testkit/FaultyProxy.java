package dev.muster.testkit;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A way to a server that fails as networks do: it cuts a connection around a statement, delays, and
 * leaves connections open over which nothing comes. Everything goes through until it is told.
 */
public final class FaultyProxy implements AutoCloseable {

    /** Where a connection is cut. */
    public enum Cut {
        /** The statement never arrives. */
        BEFORE_THE_STATEMENT,
        /** The server has answered, that is committed; the answer never arrives. */
        BEFORE_THE_ANSWER
    }

    private record Armed(Cut cut, byte[] marker) {}

    private static final int BUFFER = 1 << 18;

    private final ServerSocket listener;
    private final String host;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger cuts = new AtomicInteger();
    private volatile @Nullable Armed armed;
    private volatile boolean losing;
    private volatile long delayNanos;

    /**
     * @param target port of the server
     */
    public FaultyProxy(String host, int target) {
        this.host = host;
        this.target = target;
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofPlatform().daemon().name("faulty-proxy").start(this::accept);
    }

    public String host() {
        return "127.0.0.1";
    }

    public int port() {
        return listener.getLocalPort();
    }

    /**
     * Cuts the connection on which the next request with this text comes, once.
     *
     * @param marker such as {@code COMMIT}
     */
    public void cutOnce(Cut cut, String marker) {
        armed = new Armed(cut, marker.getBytes(StandardCharsets.UTF_8));
    }

    /** Connections cut so far because a statement came. */
    public int cuts() {
        return cuts.get();
    }

    /** From now on requests arrive, but no answer does: half-open connections, new ones as well. */
    public void loseAnswers() {
        losing = true;
    }

    /** Every answer comes so much later; zero for none. */
    public void delayAnswers(Duration delay) {
        delayNanos = delay.toNanos();
    }

    /** Breaks all connections; new ones work. */
    public void breakConnections() {
        losing = false;
        sockets.forEach(FaultyProxy::close);
        sockets.clear();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                connect(client);
            } catch (IOException _) {
                return;
            }
        }
    }

    private void connect(Socket client) {
        try {
            Socket server = new Socket(host, target);
            sockets.add(client);
            sockets.add(server);
            Link link = new Link(client, server);
            Thread.ofVirtual().start(link::requests);
            Thread.ofVirtual().start(link::answers);
        } catch (IOException _) {
            close(client); // the server is away, and a later connection may find it
        }
    }

    private final class Link {
        private final Socket client;
        private final Socket server;
        private volatile boolean cutNextAnswer;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void requests() {
            byte[] buffer = new byte[BUFFER];
            try {
                InputStream in = client.getInputStream();
                OutputStream out = server.getOutputStream();
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    Armed now = armed;
                    if (now != null && contains(buffer, n, now.marker)) {
                        armed = null;
                        if (now.cut == Cut.BEFORE_THE_STATEMENT) {
                            cuts.incrementAndGet();
                            return;
                        }
                        cutNextAnswer = true;
                    }
                    out.write(buffer, 0, n);
                }
            } catch (IOException _) {
                // cut, or one side has left
            } finally {
                end();
            }
        }

        void answers() {
            byte[] buffer = new byte[BUFFER];
            try {
                InputStream in = server.getInputStream();
                OutputStream out = client.getOutputStream();
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    if (cutNextAnswer) {
                        cuts.incrementAndGet();
                        return;
                    }
                    if (delayNanos > 0) {
                        TimeUnit.NANOSECONDS.sleep(delayNanos);
                    }
                    if (!losing) {
                        out.write(buffer, 0, n);
                    }
                }
            } catch (IOException _) {
                // cut, or one side has left
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            } finally {
                end();
            }
        }

        private void end() {
            close(client);
            close(server);
            sockets.remove(client);
            sockets.remove(server);
        }
    }

    private static boolean contains(byte[] buffer, int length, byte[] marker) {
        for (int i = 0; i + marker.length <= length; i++) {
            if (Arrays.equals(buffer, i, i + marker.length, marker, 0, marker.length)) {
                return true;
            }
        }
        return false;
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // it is gone all the same
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        breakConnections();
    }
}
