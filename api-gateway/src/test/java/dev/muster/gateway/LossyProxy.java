package dev.muster.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** A way to a server on which answers can be lost after the server has acted. */
final class LossyProxy implements AutoCloseable {

    private final ServerSocket listener;
    private final int target;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicBoolean losing = new AtomicBoolean();

    LossyProxy(int target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** From now on requests arrive, but no answer does. */
    void loseAnswers() {
        losing.set(true);
    }

    /** Breaks all connections; new ones work. */
    void breakConnections() throws IOException {
        losing.set(false);
        for (Socket socket : sockets) {
            socket.close();
        }
        sockets.clear();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.addAll(List.of(client, server));
                Thread.ofVirtual().start(() -> pump(client, server, false));
                Thread.ofVirtual().start(() -> pump(server, client, true));
            }
        } catch (IOException _) {
            // closed
        }
    }

    private void pump(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[16 << 10];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                if (!answers || !losing.get()) {
                    out.write(buffer, 0, n);
                }
            }
        } catch (IOException _) {
            // broken
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            breakConnections();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
