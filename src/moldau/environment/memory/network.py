"""Connections between objects of one process: bytes in order, a window that fills, nothing lost, no delay.

Tests call it, in place of sockets. One `MemoryNetwork` is one world; everybody who shall meet shares it. It splits
and joins what was sent as a stream does, and calls a `Receiver` only from the loop, never inside its own calls.

N1  Bytes arrive in the order of `send`, each once.
N2  `closed` is told once to each side, after everything that arrived before it; nothing is told after it.
N3  At most `window` bytes are between two outboxes and their readers; more stays queued at the sender.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable, Sequence

from moldau.environment.doors import Accept, Connection, Part, Receiver
from moldau.environment.memory.outbox import Outbox, release

FIRST_FREE_PORT = 40_000


class MemoryNetwork:
    """Listeners by address."""

    def __init__(self, window: int = 64 * 1024) -> None:
        self._window = window
        self._listeners: dict[tuple[str, int], MemoryListener] = {}
        self._next_port = FIRST_FREE_PORT

    def listen(self, host: str, port: int, accept: Accept) -> MemoryListener:
        if port == 0:
            port, self._next_port = self._next_port, self._next_port + 1
        if (host, port) in self._listeners:
            raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE), f"{host}:{port}")
        listener = MemoryListener(self, host, port, accept)
        self._listeners[host, port] = listener
        return listener

    async def connect(self, host: str, port: int, attach: Callable[[Connection], Receiver]) -> MemoryConnection:
        await asyncio.sleep(0)
        listener = self._listeners.get((host, port))
        if listener is None:
            raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED), f"{host}:{port}")
        self._next_port += 1
        near = MemoryConnection(f"{host}:{port}", self._window)
        far = MemoryConnection(f"memory:{self._next_port}", self._window)
        near.other, far.other = far, near
        receiver = listener.accept(far)
        if receiver is None:
            raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET), f"{host}:{port}")
        far.receiver = receiver
        near.receiver = attach(near)
        near.wake()
        far.wake()
        return near

    def forget(self, listener: MemoryListener) -> None:
        """The listener was closed."""
        self._listeners.pop((listener.host, listener.port), None)


class MemoryListener:
    """One address; connections live on when it closes."""

    def __init__(self, network: MemoryNetwork, host: str, port: int, accept: Accept) -> None:
        self.host = host
        self.port = port
        self.accept = accept
        self._network = network

    def close(self) -> None:
        self._network.forget(self)


class MemoryConnection:
    """One end of one stream pair."""

    other: MemoryConnection
    receiver: Receiver

    def __init__(self, peer: str, window: int) -> None:
        self.peer = peer
        self._window = window
        self._outbox = Outbox()
        self._inbox = bytearray()
        self._paused = False
        self._closing = False
        self._gone = False
        self._owes_drained = False
        self._woken = False

    def send(self, parts: Sequence[Part]) -> None:
        if self._gone or self._closing:
            release(parts)
            return
        self._outbox.put(parts)
        self._pass_on()
        self._owes_drained = self._owes_drained or self._outbox.size > 0

    @property
    def queued_bytes(self) -> int:
        return self._outbox.size

    def pause(self) -> None:
        self._paused = True

    def resume(self) -> None:
        self._paused = False
        self.wake()

    def close(self) -> None:
        self._closing = True
        self.wake()

    def abort(self) -> None:
        self._end("aborted")
        self.other._end("reset by peer")

    def wake(self) -> None:
        """Look at the inbox and the outbox in the loop's next turn."""
        if not self._woken and not self._gone:
            self._woken = True
            asyncio.get_running_loop().call_soon(self._turn)

    def _turn(self) -> None:
        self._woken = False
        self._read()
        if self._gone:
            return
        self._pass_on()
        if self._outbox.size == 0 and self._owes_drained:
            self._owes_drained = False
            self.receiver.drained()
        if self._outbox.size == 0 and self._closing:
            self._end(None)
            self.other.wake()

    def _read(self) -> None:
        while self._inbox and not self._paused and not self._gone:
            place = self.receiver.buffer()
            count = min(len(place), len(self._inbox))
            place[:count] = self._inbox[:count]
            del self._inbox[:count]
            self.receiver.received(count)
            self.other.wake()
        if not self._inbox and not self._paused and self.other._gone:  # N2
            self._end(None)

    def _pass_on(self) -> None:
        if self.other._gone:
            return
        room = self._window - len(self.other._inbox)  # N3
        piece = self._outbox.take(room)
        if piece:
            self.other._inbox += piece
            self.other.wake()

    def _end(self, reason: str | None) -> None:
        if self._gone:
            return
        self._gone = True
        self._outbox.drop()
        self._inbox.clear()
        asyncio.get_running_loop().call_soon(self.receiver.closed, reason)
