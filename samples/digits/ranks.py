"""The ranks of one data-parallel job: they meet at MASTER_ADDR:MASTER_PORT and compute together over sockets."""
from __future__ import annotations

import argparse
import functools
import json
import socket
import struct
import time
from typing import Any, Callable

MAX_FRAME_BYTES = 64 << 20


class Problem(Exception):
    """Ends the run with one clear sentence instead of a stack trace."""


class PeerLost(Problem):
    """Another rank died, or said nothing for too long."""


def send(peer: socket.socket, payload: bytes) -> None:
    peer.sendall(struct.pack("!I", len(payload)) + payload)


def receive(peer: socket.socket) -> bytes:
    def exactly(size: int) -> bytes:
        data = b""
        while len(data) < size:
            chunk = peer.recv(size - len(data))
            if not chunk:
                raise ConnectionError("it closed the connection")
            data += chunk
        return data

    (size,) = struct.unpack("!I", exactly(4))
    if size > MAX_FRAME_BYTES:
        raise ConnectionError(f"a frame of {size} bytes is not from this program")
    return exactly(size)


def until(deadline: float, what: str, attempt: Callable[[], socket.socket]) -> socket.socket:
    """Repeats while the master, or its name in the DNS, is not up yet."""
    while True:
        try:
            return attempt()
        except OSError as error:
            if time.monotonic() > deadline:
                raise Problem(f"{what} in time: {error}") from error
            time.sleep(0.1)


class Ranks:
    """A star: rank 0 keeps a socket to each other rank, in rank order, the others keep one to rank 0."""

    def __init__(self, options: argparse.Namespace, run: dict[str, Any]) -> None:
        self.rank, self.world, self.quiet_seconds = options.rank, options.world_size, options.timeout_seconds
        self.address, self.run, self.peers = (options.master_addr, options.master_port), run, []
        deadline, where = time.monotonic() + options.rendezvous_seconds, "{}:{}".format(*self.address)
        if self.rank:
            self.peers = [until(deadline, f"rank {self.rank} cannot reach the master at {where}", self.connect)]
        elif self.world > 1:
            listen = functools.partial(socket.create_server, self.address, backlog=self.world)
            with until(deadline, f"rank 0 cannot listen on {where}", listen) as server:
                self.peers = self.gather(server, deadline)
        for peer in self.peers:
            peer.settimeout(self.quiet_seconds)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def connect(self) -> socket.socket:
        peer = socket.create_connection(self.address, timeout=5)
        if peer.getsockname() == peer.getpeername():  # on loopback a port without listener can reach itself
            peer.close()
            raise ConnectionRefusedError("nobody listens there")
        send(peer, json.dumps([self.rank, self.run]).encode())
        return peer

    def gather(self, server: socket.socket, deadline: float) -> list[socket.socket]:
        found: dict[int, socket.socket] = {}
        while missing := [rank for rank in range(1, self.world) if rank not in found]:
            server.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                peer, _ = server.accept()
            except socket.timeout as error:
                raise Problem(f"ranks {missing} did not reach the master in time") from error
            try:
                peer.settimeout(5)
                rank, run = json.loads(receive(peer))
            except (OSError, ValueError, TypeError):
                peer.close()  # a stranger, or a rank that died while connecting
                continue
            if rank not in missing or run != self.run:
                raise Problem(f"rank {rank} came with {run}; expected one of {missing} with {self.run}")
            found[rank] = peer
        return [found[rank] for rank in sorted(found)]

    def together(self, payload: bytes, combine: Callable[[list[bytes]], bytes]) -> bytes:
        """The one collective: every rank gets what rank 0 makes of all payloads, combined in rank order."""
        number = 0
        try:
            if self.rank:
                send(self.peers[0], payload)
                return receive(self.peers[0])
            parts = [payload]
            for number, peer in enumerate(self.peers, 1):
                parts.append(receive(peer))
            result = combine(parts)
            for number, peer in enumerate(self.peers, 1):
                send(peer, result)
            return result
        except socket.timeout as error:
            raise PeerLost(f"rank {number} was silent for {self.quiet_seconds:g} s") from error
        except OSError as error:
            raise PeerLost(f"lost rank {number}: {error}") from error
