package dev.muster.executor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Addresses and ports for the instances of this machine: each instance has an address of its own in
 * 127.0.0.0/8 where the machine allows that, and each attempt a port that no other live attempt
 * has. The port is unique over all addresses, since servers such as torch's listen on every one.
 */
final class LoopbackNetwork {

    private static final String SHARED = "127.0.0.1";

    /** 127.64.0.1 to 127.127.255.254: away from what machines use themselves. */
    private static final int FIRST = 64 << 16;

    private static final int ADDRESSES = 1 << 22;

    private final int firstPort;
    private final int lastPort;
    private final boolean ownAddresses;
    private final Set<String> hosts = new HashSet<>();
    private final Set<Integer> ports = new HashSet<>();
    private int nextHost;
    private int nextPort;

    /**
     * @param firstPort of the range that ports are taken from, in turn
     */
    LoopbackNetwork(int firstPort, int lastPort) {
        this.firstPort = firstPort;
        this.lastPort = Math.max(firstPort, lastPort);
        this.nextPort = firstPort;
        this.ownAddresses = free("127.64.0.1", 0);
    }

    /** A meeting place for so many instances. */
    synchronized Rendezvous take(int instances) throws IOException {
        Rendezvous taken = new Rendezvous(port(), addresses(instances));
        note(taken);
        return taken;
    }

    /** Notes one that was taken by an earlier process. */
    synchronized void note(Rendezvous taken) {
        ports.add(taken.port());
        hosts.addAll(taken.hosts());
    }

    synchronized void giveBack(Rendezvous taken) {
        ports.remove(taken.port());
        taken.hosts().forEach(hosts::remove);
    }

    private List<String> addresses(int instances) throws IOException {
        List<String> found = new ArrayList<>(instances);
        int tries = 0;
        while (found.size() < instances) {
            if (!ownAddresses) {
                found.add(SHARED);
            } else if (tries++ > ADDRESSES) {
                throw new IOException("all loopback addresses for instances are in use");
            } else {
                String next = address(nextHost++ & (ADDRESSES - 1));
                if (!next.isEmpty() && !hosts.contains(next)) {
                    found.add(next);
                }
            }
        }
        return found;
    }

    private static String address(int offset) {
        int number = FIRST + offset;
        int last = number & 255;
        return last == 0 || last == 255
                ? ""
                : "127." + (number >> 16) + "." + (number >> 8 & 255) + "." + last;
    }

    private int port() throws IOException {
        for (int tries = firstPort; tries <= lastPort; tries++) {
            int candidate = nextPort;
            nextPort = nextPort == lastPort ? firstPort : nextPort + 1;
            if (!ports.contains(candidate) && free("0.0.0.0", candidate)) {
                return candidate;
            }
        }
        throw new IOException(
                "no port from " + firstPort + " to " + lastPort + " is free for MASTER_PORT");
    }

    private static boolean free(String address, int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(new InetSocketAddress(InetAddress.ofLiteral(address), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
