"""Cutting a stream of bytes into frames: a 4-byte length, then so many bytes.

A connection hands `buffer()` to its socket and tells `received(count)`; what it gets back are views into the buffer.
Nothing here waits or knows what is inside a frame.

F1  Between two calls the bytes from `_start` to `_end` are the beginning of a frame that is not complete.
F2  A length is checked before it is believed; the buffer grows because it is full, never because of a length.
F3  Views handed out stay valid until the next `buffer()`: only `buffer()` moves, grows or writes over memory.
"""

from __future__ import annotations

from struct import Struct

from moldau.protocol.errors import FrameError

FRAME_BUFFER_BYTES = 128 * 1024
KEPT_BUFFER_BYTES = 2 * 1024 * 1024
"""A buffer that has grown this far may stay while large frames keep coming: growing again for each costs a fifth."""
LENGTH_BYTES = 4
_LENGTH = Struct(">i").unpack_from


class FrameBuffer:
    """The bytes of one connection that have come in and are not yet used."""

    def __init__(self, limit: int, size: int = FRAME_BUFFER_BYTES, kept: int = 0) -> None:
        """`limit` is the longest frame taken, in bytes; `size` what the buffer has at rest; a buffer grown to at most
        `kept` waits for `rest` to be given back, a larger one goes at once."""
        self._limit = limit
        self._size = size
        self._kept = max(size, kept)
        self._large = False
        self._view = memoryview(bytearray(size))
        self._start = 0
        self._end = 0

    @property
    def held_bytes(self) -> int:
        """How much memory the connection holds."""
        return len(self._view)

    @property
    def unfinished(self) -> int:
        """How many bytes of a frame that is not complete have come in."""
        return self._end - self._start

    def buffer(self) -> memoryview:
        """Where the next bytes go: writable, never empty. Ends the life of the views handed out before."""
        kept = self._end - self._start
        room = len(self._view)
        if kept == room:
            self._move(min(2 * room, max(self._size, self._limit + LENGTH_BYTES)))
        elif room > self._kept and kept < self._size:
            self._move(self._size)
        elif self._start:
            self._view[:kept] = self._view[self._start : self._end]
        self._start, self._end = 0, kept
        return self._view[kept:]

    def received(self, count: int) -> list[memoryview]:
        """That many bytes now stand at the start of the last `buffer()`; the frames that are complete with them."""
        view = self._view
        start = self._start
        end = self._end = self._end + count
        frames = []
        while end - start >= LENGTH_BYTES:
            (length,) = _LENGTH(view, start)
            if not 0 <= length <= self._limit:
                raise FrameError(f"a frame of {length} bytes: at most {self._limit} are taken")
            stop = start + LENGTH_BYTES + length
            if stop > end:
                break
            frames.append(view[start + LENGTH_BYTES : stop])
            start = stop
        self._start = start
        if end > self._size:
            self._large = True
        return frames

    def rest(self) -> None:
        """Told now and then: gives a grown buffer back that nothing large has filled since the last time."""
        if self._large:
            self._large = False
        elif len(self._view) > self._size > self.unfinished:
            kept = self.unfinished
            self._move(self._size)
            self._start, self._end = 0, kept

    def _move(self, size: int) -> None:
        kept = self._end - self._start
        view = memoryview(bytearray(size))
        view[:kept] = self._view[self._start : self._end]
        self._view = view
