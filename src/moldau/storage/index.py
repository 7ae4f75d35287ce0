"""The two sparse indexes of a segment, as arrays in memory and in Kafka's bytes.

Who calls: segment. What it never does: touch a disk, or know of batches.

I1 Offset index: last offsets and positions both grow from entry to entry; a position is where a batch starts and the
   offset is that batch's last one.
I2 Time index: timestamps and offsets both grow; an entry says that no record up to that offset is younger.
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_left, bisect_right
from operator import lt

OFFSET_ENTRY_BYTES = 8
TIME_ENTRY_BYTES = 12
MAX_SPAN = 2**31 - 1
"""Offsets in an index are int32 relative to the segment's first."""

_OFFSET_ENTRY = struct.Struct(">ii")
_TIME_ENTRY = struct.Struct(">qi")


class OffsetIndex:
    """From an offset to a position at or before its batch."""

    __slots__ = ("base", "offsets", "positions", "unwritten")

    def __init__(self, base: int) -> None:
        self.base = base
        self.offsets = array("i")
        self.positions = array("i")
        self.unwritten = bytearray()
        """Entries that the file does not hold yet."""

    def __len__(self) -> int:
        return len(self.offsets)

    def append(self, last_offset: int, position: int) -> None:
        relative = last_offset - self.base
        assert not self.offsets or (relative > self.offsets[-1] and position > self.positions[-1])  # I1
        self.offsets.append(relative)
        self.positions.append(position)
        self.unwritten += _OFFSET_ENTRY.pack(relative, position)

    def entry_for(self, offset: int) -> tuple[int, int]:
        """Last offset and position of a batch at or before the one that holds the offset; (-1, 0) if there is none."""
        return self._entry(bisect_right(self.offsets, min(offset - self.base, MAX_SPAN)))

    def entry_at_most(self, position: int) -> tuple[int, int]:
        """The last entry whose batch starts at or before a position; (-1, 0) if there is none."""
        return self._entry(bisect_right(self.positions, min(position, MAX_SPAN)))

    def _entry(self, after: int) -> tuple[int, int]:
        return (self.base + self.offsets[after - 1], self.positions[after - 1]) if after else (-1, 0)

    def last(self) -> tuple[int, int] | None:
        """Last offset and position of the last entry."""
        return (self.base + self.offsets[-1], self.positions[-1]) if self.offsets else None

    def truncate(self, position: int) -> None:
        """Forget entries of batches that start at or after a position; the file is then rewritten whole."""
        keep = bisect_left(self.positions, position)
        del self.offsets[keep:], self.positions[keep:]
        self.unwritten = bytearray(self.encode())

    def encode(self) -> bytes:
        """The whole file."""
        entries = array("i", bytes(OFFSET_ENTRY_BYTES * len(self.offsets)))
        entries[0::2] = self.offsets
        entries[1::2] = self.positions
        if sys.byteorder == "little":
            entries.byteswap()
        return entries.tobytes()

    @classmethod
    def decode(cls, base: int, data: bytes, log_bytes: int) -> OffsetIndex | None:
        """The entries of a file, None when they cannot belong to a log of that size."""
        if len(data) % OFFSET_ENTRY_BYTES:
            return None
        entries = array("i", data)
        if sys.byteorder == "little":
            entries.byteswap()
        index = cls(base)
        index.offsets = entries[0::2]
        index.positions = entries[1::2]
        if not index.offsets:
            return index
        if index.offsets[0] < 0 or index.positions[0] < 0 or index.positions[-1] >= log_bytes:
            return None
        return index if _grows(index.offsets) and _grows(index.positions) else None


class TimeIndex:
    """From a timestamp to an offset before which no record is as young."""

    __slots__ = ("base", "offsets", "timestamps", "unwritten")

    def __init__(self, base: int) -> None:
        self.base = base
        self.timestamps = array("q")
        self.offsets = array("i")
        self.unwritten = bytearray()

    def __len__(self) -> int:
        return len(self.timestamps)

    def append(self, timestamp: int, offset: int) -> None:
        """Take an entry if the timestamp has grown."""
        if timestamp > (self.timestamps[-1] if self.timestamps else -1):
            relative = offset - self.base
            assert not self.offsets or relative > self.offsets[-1]  # I2
            self.timestamps.append(timestamp)
            self.offsets.append(relative)
            self.unwritten += _TIME_ENTRY.pack(timestamp, relative)

    def offset_for(self, timestamp: int) -> int:
        """An offset at or before the first record that is at least as young."""
        entry = bisect_right(self.timestamps, timestamp) - 1
        return self.base + (self.offsets[entry] if entry >= 0 else 0)

    def last(self) -> tuple[int, int] | None:
        """Timestamp and offset of the last entry."""
        return (self.timestamps[-1], self.base + self.offsets[-1]) if self.timestamps else None

    def truncate(self, offset: int) -> None:
        """Forget entries at or above an offset; the file is then rewritten whole."""
        keep = bisect_left(self.offsets, max(0, min(offset - self.base, MAX_SPAN)))
        del self.offsets[keep:], self.timestamps[keep:]
        self.unwritten = bytearray(self.encode())

    def encode(self) -> bytes:
        """The whole file."""
        return b"".join(map(_TIME_ENTRY.pack, self.timestamps, self.offsets))

    @classmethod
    def decode(cls, base: int, data: bytes) -> TimeIndex | None:
        """The entries of a file, None when they are out of order."""
        if len(data) % TIME_ENTRY_BYTES:
            return None
        index = cls(base)
        for timestamp, relative in _TIME_ENTRY.iter_unpack(data):
            index.timestamps.append(timestamp)
            index.offsets.append(relative)
        if index.timestamps and (index.timestamps[0] < 0 or index.offsets[0] < 0):
            return None
        return index if _grows(index.timestamps) and _grows(index.offsets) else None


def _grows(values: array[int]) -> bool:
    listed = values.tolist()
    return all(map(lt, listed, listed[1:]))
