"""One client's connection: frames in, answers out in the order of their requests.

Made by the listener for each accepted connection. It knows frames and places in a queue; what is in them is the
router's business. It never waits.

I1  answers leave in the order in which their requests came.
I2  a request that waits (is parked) keeps its place; answers behind it wait, and are bounded in number and bytes:
    at a bound no further frame is handled and nothing is received until they have drained.
I3  a place answered after the connection is gone releases its slices and sends nothing.
I4  frames are views of the receive buffer: while any is still to be handled, nothing is received.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from moldau.broker.turn import Turn
from moldau.environment.doors import Connection, FileSlice, Part, size_of
from moldau.protocol.errors import FrameError
from moldau.protocol.frames import KEPT_BUFFER_BYTES, FrameBuffer

MOST_WAITING = 512
"""Answers that wait behind a parked one on one connection."""

MOST_UNSENT_BYTES = 1 << 20
"""Answer bytes that may stand between handlers and the kernel before the connection stops handling requests."""

JOIN_BYTES = 1 << 16
"""Answers smaller than this in all are joined into one buffer: cheaper than a vector of small ones."""

FRAME_MS = 30_000
"""A frame must be complete this long after its first byte, and a little longer …"""

FRAME_BYTES_PER_MS = 64
"""… for each byte that has come: nobody holds a buffer by sending one byte a minute."""

UNREAD_MS = 60_000
"""A peer that takes nothing of its answers for this long is given up."""


class Serve(Protocol):
    """The router: handles one frame by calling `answer`, `park` or `hang_up` on the connection."""

    def __call__(self, frame: memoryview, connection: ClientConnection, /) -> None: ...


class Place:
    """The place of one parked request in its connection's queue of answers."""

    __slots__ = ("_connection", "dropped", "parts")

    def __init__(self, connection: ClientConnection | None) -> None:
        self._connection = connection
        self.parts: Sequence[Part] | None = None
        self.dropped: Callable[[], None] | None = None
        """Told when the connection goes before the answer came."""

    def answer(self, parts: Sequence[Part]) -> None:
        """Give the answer (once); it leaves when everything before it has."""
        self.dropped = None  # it refers to the call and so to this place: without it nothing is left to be collected
        if self._connection is None:
            _release(parts)  # I3
            return
        self.parts = parts
        self._connection.answered(self)

    def drop(self) -> None:
        """The connection is gone."""
        self._connection = None
        if self.parts is not None:
            _release(self.parts)
        elif self.dropped is not None:
            self.dropped()


class ClientConnection:
    """The receiver behind one accepted connection."""

    __slots__ = (
        "_backlog",
        "_ended",
        "_flushing",
        "_frame_began_ms",
        "_frames",
        "_ready",
        "_ready_bytes",
        "_seen",
        "_seen_at_ms",
        "_sent_at_ms",
        "_serve",
        "_turn",
        "_unsent",
        "_waiting",
        "door",
        "listener",
    )

    def __init__(
        self, door: Connection, listener: str, serve: Serve, turn: Turn, frame_limit: int, ended: Ended
    ) -> None:
        self.door = door
        self.listener = listener
        """The name of the listener that it came through."""
        self._serve = serve
        self._turn = turn
        self._ended = ended
        self._frames = FrameBuffer(frame_limit, kept=KEPT_BUFFER_BYTES)
        self._ready: list[Part] = []
        self._ready_bytes = 0
        self._waiting: deque[Place] = deque()
        self._backlog: deque[memoryview] = deque()
        self._flushing = False
        self._seen = True
        self._seen_at_ms = self._sent_at_ms = self._frame_began_ms = -1
        self._unsent = 0

    # ------------------------------------------------------------------------- told by the network door

    def buffer(self) -> memoryview:
        return self._frames.buffer()

    def received(self, count: int) -> None:
        self._seen = True
        turn = self._turn
        turn.enter()
        try:
            frames = self._frames.received(count)
            if frames:
                self._frame_began_ms = -1
                self._backlog.extend(frames)
                self._handle()
        except FrameError as wrong:
            self.hang_up("malformed", f"frame: {wrong}")
        finally:
            turn.leave()

    def drained(self) -> None:
        self._turn.enter()
        self._handle()
        self._turn.leave()

    def closed(self, reason: str | None) -> None:
        self._backlog.clear()
        _release(self._ready)
        self._ready.clear()
        waiting, self._waiting = self._waiting, deque()
        self._turn.enter()
        for place in waiting:
            place.drop()
        self._turn.leave()
        self._ended.connection_ended(self, reason)

    # ------------------------------------------------------------------------------ told by the router

    def answer(self, parts: Sequence[Part]) -> None:
        """The answer to the frame that is being handled."""
        if self._waiting:
            place = Place(self)
            place.parts = parts
            self._waiting.append(place)  # I1
        else:
            self._ready += parts
        self._ready_bytes += len(parts[0]) if len(parts) == 1 else size_of(parts)
        if not self._flushing:
            self._flushing = True
            self._turn.flush(self)

    def park(self) -> Place:
        """Keep a place for the answer to the frame that is being handled."""
        place = Place(self)
        self._waiting.append(place)
        return place

    def hang_up(self, cause: str, text: str) -> None:
        """Send what is ready and close; the peer did something that cannot be answered."""
        self._backlog.clear()
        self._ended.connection_refused(self, cause, text)
        if self._ready:
            self.flush()
        self.door.close()

    def answered(self, place: Place) -> None:
        """A parked request has its answer (told by its place)."""
        assert place.parts is not None
        self._ready_bytes += size_of(place.parts)
        waiting = self._waiting
        if waiting[0] is not place:
            return
        while waiting and (parts := waiting[0].parts) is not None:
            self._ready.extend(parts)
            waiting.popleft()
        if not self._flushing:
            self._flushing = True
            self._turn.flush(self)

    def flush(self) -> None:
        """Write what is ready (called at the end of the turn)."""
        self._flushing = False
        ready = self._ready
        if ready:
            self._ready = []
            if self._waiting:
                size = size_of(ready)
                self._ready_bytes -= size
            else:
                size, self._ready_bytes = self._ready_bytes, 0
            if len(ready) > 1 and size < JOIN_BYTES and FileSlice not in map(type, ready):
                self.door.send((b"".join(ready),))  # type: ignore[arg-type]
            else:
                self.door.send(ready)
        if self._backlog:
            self._handle()

    # --------------------------------------------------------------------------- asked by the listener

    def overdue(self, now_ms: int, idle_ms: int) -> tuple[str, str] | None:
        """Why this connection should be given up (cause, text), looked at now and then; None when it should not."""
        if not self._backlog:  # I4
            self._frames.rest()
        unsent = self.door.queued_bytes
        if unsent and unsent == self._unsent:
            if now_ms - self._sent_at_ms >= UNREAD_MS:
                return "unread", f"it has read nothing of {unsent} bytes for {UNREAD_MS // 1000} s"
        else:
            self._sent_at_ms = now_ms
            self._unsent = unsent
        unfinished = self._frames.unfinished
        if not unfinished:
            self._frame_began_ms = -1
        elif self._frame_began_ms < 0:
            self._frame_began_ms = now_ms
        elif now_ms - self._frame_began_ms >= FRAME_MS + unfinished // FRAME_BYTES_PER_MS:
            return "unfinished", f"its request has been incomplete for {(now_ms - self._frame_began_ms) // 1000} s"
        if self._seen or self._waiting:
            self._seen = False
            self._seen_at_ms = now_ms
        elif now_ms - self._seen_at_ms >= idle_ms:
            return "idle", f"it has been idle for {idle_ms // 1000} s"
        return None

    # -------------------------------------------------------------------------------------------------

    def _handle(self) -> None:
        """Handle frames until there is none or a bound is reached."""
        backlog, waiting, serve = self._backlog, self._waiting, self._serve
        room = MOST_UNSENT_BYTES - self.door.queued_bytes
        while backlog:
            if len(waiting) >= MOST_WAITING or self._ready_bytes >= room:
                self.door.pause()  # I2, I4
                return
            serve(backlog.popleft(), self)
        self.door.resume()


class Ended(Protocol):
    """Whoever accepted the connection and counts it."""

    def connection_ended(self, connection: ClientConnection, reason: str | None, /) -> None: ...

    def connection_refused(self, connection: ClientConnection, cause: str, text: str, /) -> None: ...


def _release(parts: Sequence[Part]) -> None:
    for part in parts:
        if isinstance(part, FileSlice):
            part.release()
