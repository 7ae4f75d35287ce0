"""The network between simulated machines, and each node's door to it.

Two halves meet here. The kernel's half runs in the world's context: frames in flight, arrival, refusal, reset; it goes
on when a node dies. The node's half runs in the node's context: a `Receiver` is told of bytes and ends.

N1  One direction of one connection is first in, first out, whatever latency its pieces draw.
N2  `closed` is told once to each side that lives, after which nothing is told.
N3  At most `window` bytes of one direction are between the sender's queue and the reader; the rest stays queued.
N4  A cut direction is silent: what is in flight arrives after `heal`, late and in order.
N5  A killed process leaves what its kernel had taken and an end; a machine without power leaves silence, and resets
    what reaches it once it is back.
"""

from __future__ import annotations

import asyncio
import errno
import os
import random
import zlib
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moldau.environment.doors import Accept, Connection, Part, Receiver
from moldau.environment.memory.outbox import Outbox, release
from moldau.simulator.loop import NS_PER_SECOND, SimulatedLoop
from moldau.simulator.node import Node

CONNECT_TIMEOUT_NS = 20 * NS_PER_SECOND
FIRST_FREE_PORT = 40_000
_OWN_NAMES = frozenset({"", "localhost", "127.0.0.1", "0.0.0.0"})


@dataclass(frozen=True, slots=True)
class Weather:
    """How this run's network behaves apart from faults."""

    latency_ns: tuple[int, int] = (20_000, 400_000)
    spike_ns: int = 100_000_000
    spike_chance: float = 0.002
    short_read_chance: float = 0.1
    window: int = 64 * 1024


class Fabric:
    """All connections of one run, and the faults that can be done to them."""

    def __init__(self, loop: SimulatedLoop, draw: random.Random, weather: Weather) -> None:
        self.loop = loop
        self.draw = draw
        self.weather = weather
        self.listeners: dict[tuple[str, int], SimulatedListener] = {}
        self._ends: list[SimulatedConnection] = []
        self._dark: dict[str, None] = {}
        self._cuts: dict[tuple[str, str], None] = {}
        self._next_port = FIRST_FREE_PORT

    # -------------------------------------------------------------------------------------- faults

    def cut(self, source: str, target: str) -> None:
        """Silence from one machine to another (N4); one way only."""
        self._cuts[source, target] = None

    def heal(self) -> None:
        """Every cut ends."""
        self._cuts.clear()
        for end in self._ends:
            end.outgoing.go_on()

    def live_connections(self) -> list[SimulatedConnection]:
        """One end of each connection that both ends believe in, oldest first."""
        self._ends = [end for end in self._ends if not (end.gone and end.other.gone)]
        return [
            end
            for end in self._ends
            if end.dialled and not end.gone and not end.other.gone and end.receiver is not None
        ]

    def reset(self, end: SimulatedConnection) -> None:
        """Both sides learn that the connection was lost."""
        end.outgoing.carry(Reset())
        end.other.outgoing.carry(Reset())

    def lose(self, end: SimulatedConnection) -> None:
        """Neither side learns anything: whatever they send from now on vanishes (half-open for ever)."""
        end.outgoing.lost = end.other.outgoing.lost = True

    def process_died(self, node: Node, *, with_machine: bool) -> None:
        """N5."""
        for address in [address for address, listener in self.listeners.items() if listener.node is node]:
            del self.listeners[address]
        if with_machine:
            self._dark[node.name] = None
        for end in self._ends:
            if end.node is node and not end.gone:
                end.gone = True
                if not with_machine:
                    end.outgoing.carry(Reset() if end.inbox or self.draw.random() < 0.5 else Fin())

    def machine_is_back(self, name: str) -> None:
        """It answers again, if only with resets."""
        self._dark.pop(name, None)

    # --------------------------------------------------------------------------------------- wires

    def latency_ns(self) -> int:
        if self.draw.random() < self.weather.spike_chance:
            return self.draw.randrange(self.weather.spike_ns)
        return self.draw.randint(*self.weather.latency_ns)

    def is_cut(self, source: str, target: str) -> bool:
        return (source, target) in self._cuts

    def is_dark(self, name: str) -> bool:
        return name in self._dark

    def free_port(self) -> int:
        self._next_port += 1
        return self._next_port

    def dial(self, door: SimulatedNetwork, host: str, port: int, answer: Dial) -> None:
        """A connection request is under way."""
        self.loop.call_at_ns(
            self.loop.now_ns + self.latency_ns(), self._knock, door, host, port, answer, context=self.loop.world.context
        )

    def _knock(self, door: SimulatedNetwork, host: str, port: int, answer: Dial) -> None:
        source, target = door.node, host
        if self.is_dark(target) or self.is_cut(source.name, target) or self.is_cut(target, source.name):
            return  # the dialler's time-out will tell
        listener = self.listeners.get((host, port))
        if listener is None or not listener.node.alive:
            self._refuse(answer, host, port)
            return
        near = SimulatedConnection(self, source, f"{host}:{port}", dialled=True)
        far = SimulatedConnection(self, listener.node, f"{source.name}:{self.free_port()}", dialled=False)
        near.meet(far)
        self._ends += [near, far]
        self.loop.call_in(listener.node, far.take_owner, listener.accept)
        self.loop.call_at_ns(self.loop.now_ns + self.latency_ns(), answer.succeed, near, context=source.context)

    def _refuse(self, answer: Dial, host: str, port: int) -> None:
        error = ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED), f"{host}:{port}")
        self.loop.call_at_ns(self.loop.now_ns + self.latency_ns(), answer.fail, error, context=answer.node.context)


class Dial:
    """A `connect` that waits."""

    def __init__(
        self, node: Node, result: asyncio.Future[SimulatedConnection], attach: Callable[[Connection], Receiver]
    ) -> None:
        self.node = node
        self._result = result
        self._attach = attach

    def succeed(self, near: SimulatedConnection) -> None:
        if self._result.done():
            near.abort()
            return
        near.take_owner(self._attach)
        self._result.set_result(near)

    def fail(self, error: OSError) -> None:
        if not self._result.done():
            self._result.set_exception(error)


class SimulatedNetwork:
    """The network door of one node."""

    def __init__(self, fabric: Fabric, node: Node) -> None:
        self.node = node
        self._fabric = fabric

    def listen(self, host: str, port: int, accept: Accept) -> SimulatedListener:
        if host not in _OWN_NAMES and host != self.node.name:
            raise OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL), f"{host}:{port}")
        port = port or self._fabric.free_port()
        address = (self.node.name, port)
        if address in self._fabric.listeners:
            raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE), f"{host}:{port}")
        listener = SimulatedListener(self._fabric, self.node, host, port, accept)
        self._fabric.listeners[address] = listener
        return listener

    async def connect(self, host: str, port: int, attach: Callable[[Connection], Receiver]) -> SimulatedConnection:
        loop = self._fabric.loop
        result: asyncio.Future[SimulatedConnection] = loop.create_future()
        answer = Dial(self.node, result, attach)
        timeout = TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT), f"{host}:{port}")
        timer = loop.call_at_ns(loop.now_ns + CONNECT_TIMEOUT_NS, answer.fail, timeout)
        self._fabric.dial(self, self.node.name if host in _OWN_NAMES else host, port, answer)
        try:
            return await result
        finally:
            timer.cancel()


class SimulatedListener:
    """One address of one node."""

    def __init__(self, fabric: Fabric, node: Node, host: str, port: int, accept: Accept) -> None:
        self.node = node
        self.host = host
        self.port = port
        self.accept = accept
        self._fabric = fabric

    def close(self) -> None:
        if self._fabric.listeners.get((self.node.name, self.port)) is self:
            del self._fabric.listeners[self.node.name, self.port]


class SimulatedConnection:
    """One end of one connection."""

    other: SimulatedConnection
    outgoing: Wire

    def __init__(self, fabric: Fabric, node: Node, peer: str, *, dialled: bool) -> None:
        self.peer = peer
        self.node = node
        self.dialled = dialled
        self.receiver: Receiver | None = None
        self.gone = False
        self.inbox = bytearray()
        self._fabric = fabric
        self._outbox = Outbox()
        self._news: Fin | Reset | None = None
        self._paused = False
        self._closing = False
        self._owes_drained = False
        self._woken = False

    def meet(self, other: SimulatedConnection) -> None:
        """Lay the wires between both ends."""
        self.other, other.other = other, self
        self.outgoing = Wire(self._fabric, self, other)
        other.outgoing = Wire(self._fabric, other, self)

    def take_owner(self, attach: Callable[[Connection], Receiver | None]) -> None:
        """In the node's context: somebody begins to listen, or refuses."""
        self.receiver = attach(self)
        if self.receiver is None:
            self.abort()
        else:
            self.wake()

    # ---------------------------------------------------------------------------------- the door

    def send(self, parts: Sequence[Part]) -> None:
        if self.gone or self._closing or self._is_dead():
            release(parts)
            return
        self._outbox.put(parts)
        self._push()
        self._owes_drained = self._outbox.size > 0

    @property
    def queued_bytes(self) -> int:
        return self._outbox.size

    def pause(self) -> None:
        self._paused = True

    def resume(self) -> None:
        self._paused = False
        self.wake()

    def close(self) -> None:
        if not self._closing and not self._is_dead():
            self._closing = True
            self._finish_closing()

    def abort(self) -> None:
        if not self._is_dead():
            self._end(None, Reset())

    # -------------------------------------------------------------------------- what the wire says

    def arrive(self, data: bytes) -> None:
        self.inbox += data
        self.wake()

    def hear(self, news: Fin | Reset) -> None:
        if isinstance(news, Reset):
            self.inbox.clear()
            self._news = news
        self._news = self._news or news
        self.wake()

    def wake(self) -> None:
        """Look at what has come, as the node."""
        if not self._woken and not self.gone and self.node.alive:
            self._woken = True
            self._fabric.loop.call_in(self.node, self._readable)

    def room(self) -> None:
        """The wire takes more, as the node."""
        if self.gone:
            return
        self._push()
        if self._outbox.size or self.gone:
            return
        if self._closing:
            self._finish_closing()
        elif self._owes_drained and self.receiver is not None:
            self._owes_drained = False
            self.receiver.drained()

    # ------------------------------------------------------------------------------------- within

    def _readable(self) -> None:
        self._woken = False
        if isinstance(self._news, Reset):
            self._end(None, None)
        if self.gone or self._paused or self._closing or self.receiver is None:
            return
        if self.inbox:
            self._read(self.receiver)
        elif self._news is not None:
            self._closing = True
            self._finish_closing()
        if self.inbox or self._news is not None:
            self.wake()

    def _read(self, receiver: Receiver) -> None:
        place = receiver.buffer()
        count = min(len(place), len(self.inbox))
        if self._fabric.draw.random() < self._fabric.weather.short_read_chance:
            count = self._fabric.draw.randint(1, count)
        place[:count] = self.inbox[:count]
        del self.inbox[:count]
        self.other.outgoing.free(count)
        receiver.received(count)

    def _push(self) -> None:
        while self._outbox.size and (room := self.outgoing.room()) > 0:
            try:
                piece = self._outbox.take(room)
            except OSError as failed:
                self._end(f"{failed.strerror or failed}", Reset())
                return
            self.outgoing.carry(piece)

    def _finish_closing(self) -> None:
        if self._outbox.size == 0:
            self._end(None, Reset() if self.inbox else Fin())

    def _end(self, reason: str | None, farewell: Fin | Reset | None) -> None:
        if self.gone:
            return
        self.gone = True
        self._outbox.drop()
        self.inbox.clear()
        if farewell is not None:
            self.outgoing.carry(farewell)
        if self.receiver is not None:
            self._fabric.loop.call_in(self.node, self.receiver.closed, reason)  # N2

    def _is_dead(self) -> bool:
        return self.node.power_cut or not self.node.alive


@dataclass(frozen=True, slots=True)
class Fin:
    """The orderly end of one direction."""


@dataclass(frozen=True, slots=True)
class Reset:
    """The end of both, at once."""


class Wire:
    """One direction of one connection: pieces in flight, in order (N1)."""

    def __init__(self, fabric: Fabric, source: SimulatedConnection, target: SimulatedConnection) -> None:
        self.lost = False
        self._fabric = fabric
        self._source = source
        self._target = target
        self._flight: deque[tuple[int, bytes | Fin | Reset]] = deque()
        self._held = 0
        self._last_ns = 0

    def room(self) -> int:
        """How many bytes it takes now (N3)."""
        return self._fabric.weather.window - self._held

    def free(self, count: int) -> None:
        """The reader has taken so many bytes from the other end."""
        self._held -= count
        if not self._source.gone:
            self._fabric.loop.call_in(self._source.node, self._source.room)

    def carry(self, piece: bytes | Fin | Reset) -> None:
        if isinstance(piece, bytes):
            self._held += len(piece)
        self._last_ns = max(self._last_ns, self._fabric.loop.now_ns + self._fabric.latency_ns())
        self._flight.append((self._last_ns, piece))
        self._fabric.loop.call_at_ns(self._last_ns, self._deliver, context=self._fabric.loop.world.context)

    def go_on(self) -> None:
        """A cut has ended."""
        if self._flight:
            due_ns = max(self._flight[0][0], self._fabric.loop.now_ns + self._fabric.latency_ns())
            self._fabric.loop.call_at_ns(due_ns, self._deliver, context=self._fabric.loop.world.context)

    def _deliver(self) -> None:
        source, target = self._source.node.name, self._target.node.name
        while (
            self._flight and self._flight[0][0] <= self._fabric.loop.now_ns and not self._fabric.is_cut(source, target)
        ):
            piece = self._flight.popleft()[1]
            if self.lost or self._fabric.is_dark(target):
                continue
            self._hand_over(piece)

    def _hand_over(self, piece: bytes | Fin | Reset) -> None:
        trace = self._fabric.loop.trace
        trace.note(self._fabric.loop.now_ns, self._target.node.label, f"from {self._source.node.label}: {_text(piece)}")
        if not isinstance(piece, bytes):
            self._target.hear(piece)
        elif not self._target.gone:
            self._target.arrive(piece)
        elif not self._source.gone:
            self._target.outgoing.carry(Reset())


def _text(piece: bytes | Fin | Reset) -> str:
    if isinstance(piece, bytes):
        return f"{len(piece)} bytes #{zlib.crc32(piece):08x}"
    return type(piece).__name__.lower()
