"""In-memory doors for tests of the connection machine: one peer, one clock, no loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import pack

from moldau.broker.connection import ClientConnection, Place
from moldau.broker.turn import Turn
from moldau.environment.doors import FileSlice, Part, Receiver


class Peer:
    """The far side of a connection door: what it was sent, and whether it reads."""

    def __init__(self) -> None:
        self.peer = "203.0.113.7:5000"
        self.sends: list[bytes] = []
        self.reads = True
        self.queued: list[Part] = []
        self.paused = False
        self.ended: str | None = None
        self.owner: Receiver | None = None

    def send(self, parts: Sequence[Part]) -> None:
        if self.ended:
            _release(parts)
        elif self.reads:
            self.sends.append(b"".join(part.read() if isinstance(part, FileSlice) else bytes(part) for part in parts))
            _release(parts)
        else:
            self.queued.extend(parts)

    @property
    def queued_bytes(self) -> int:
        return sum(map(len, self.queued))

    def pause(self) -> None:
        self.paused = True

    def resume(self) -> None:
        self.paused = False

    def close(self) -> None:
        self.ended = self.ended or "closed"

    def abort(self) -> None:
        self.ended = self.ended or "aborted"

    def read_on(self) -> None:
        """Read what is queued, as a peer that was slow."""
        self.reads = True
        queued, self.queued = self.queued, []
        self.send(queued)
        assert self.owner is not None
        self.owner.drained()

    def say(self, data: bytes) -> None:
        """Bytes from the peer, in as many receives as it takes."""
        assert self.owner is not None
        while data and not self.paused and not self.ended:
            room = self.owner.buffer()
            count = min(len(room), len(data))
            room[:count] = data[:count]
            data = data[count:]
            self.owner.received(count)
        self.unsaid = data

    @property
    def sent(self) -> bytes:
        return b"".join(self.sends)


class Owners:
    """Stands for the reception: remembers why connections ended."""

    def __init__(self) -> None:
        self.refusals: list[tuple[str, str]] = []
        self.ends: list[str | None] = []

    def connection_ended(self, connection: ClientConnection, reason: str | None) -> None:
        self.ends.append(reason)

    def connection_refused(self, connection: ClientConnection, cause: str, text: str) -> None:
        self.refusals.append((cause, text))


class Echo:
    """A router whose requests are words: `park…` waits, anything else is echoed."""

    def __init__(self) -> None:
        self.parked: dict[bytes, Place] = {}
        self.served: list[bytes] = []
        self.dropped: list[bytes] = []

    def __call__(self, frame: memoryview, connection: ClientConnection) -> None:
        word = bytes(frame)
        self.served.append(word)
        if word.startswith(b"park"):
            place = self.parked[word] = connection.park()
            place.dropped = lambda: self.dropped.append(word)
        else:
            connection.answer([word + b";"])


def connected(serve: Callable[[memoryview, ClientConnection], None]) -> tuple[Peer, ClientConnection, Owners, Turn]:
    """A connection with an in-memory peer."""
    peer, owners, turn = Peer(), Owners(), Turn()
    connection = ClientConnection(peer, "PLAINTEXT", serve, turn, 1_000_000, owners)
    peer.owner = connection
    return peer, connection, owners, turn


def frame(body: bytes) -> bytes:
    """A body with its length in front."""
    return pack(">i", len(body)) + body


def _release(parts: Sequence[Part]) -> None:
    for part in parts:
        if isinstance(part, FileSlice):
            part.release()
