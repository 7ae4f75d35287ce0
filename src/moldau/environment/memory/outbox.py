"""What a connection has taken for sending and the other side has no room for yet.

Used by the in-memory network and by the simulator's. It never copies a buffer before it leaves, as the real door
does not, so whoever changes a queued buffer is found out.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Sequence

from moldau.environment.doors import FileSlice, Part


class BufferChangedError(AssertionError):
    """A buffer was changed between `send` and `drained`: the other side would have read a mixture."""


class Outbox:
    """Parts in order, taken in pieces of any size."""

    def __init__(self) -> None:
        self._parts: deque[tuple[memoryview | FileSlice, int]] = deque()
        self._taken = 0  # bytes of the first part that have left
        self.size = 0

    def put(self, parts: Sequence[Part]) -> None:
        """Take the parts over; each slice is released when it has left, or by `drop`."""
        for part in parts:
            if isinstance(part, FileSlice):
                self._parts.append((part, 0))
            else:
                view = memoryview(part).cast("B")
                self._parts.append((view, zlib.crc32(view)))
            self.size += len(part)

    def take(self, limit: int) -> bytes:
        """Up to `limit` bytes, which have now left. OSError when a file fails; then `drop` the rest."""
        pieces: list[bytes] = []
        while limit > 0 and self._parts:
            part, checksum = self._parts[0]
            count = min(limit, len(part) - self._taken)
            if isinstance(part, FileSlice):
                pieces.append(_read(part, self._taken, count))
            else:
                if zlib.crc32(part) != checksum:
                    raise BufferChangedError("a buffer given to send was changed before drained was told")
                pieces.append(bytes(part[self._taken : self._taken + count]))
            self._taken += count
            self.size -= count
            limit -= count
            if self._taken == len(part):
                self._parts.popleft()
                self._taken = 0
                part.release()
        self._leave_out_empty()
        return b"".join(pieces)

    def drop(self) -> None:
        """The connection is gone: let every part go."""
        for part, _ in self._parts:
            part.release()
        self._parts.clear()
        self._taken = self.size = 0

    def _leave_out_empty(self) -> None:
        while self._parts and len(self._parts[0][0]) == 0:
            self._parts.popleft()[0].release()


def _read(part: FileSlice, skip: int, count: int) -> bytes:
    found = part.file.read(part.position + skip, count)
    if len(found) != count:
        raise OSError(f"{part.file.path} is shorter than the slice that is being sent")
    return found


def release(parts: Sequence[Part]) -> None:
    """Let go of parts that will not be sent."""
    for part in parts:
        if isinstance(part, FileSlice):
            part.release()
