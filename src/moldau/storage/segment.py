"""One segment: a file of whole batches, its two indexes, and what is known of it.

Who calls: the log and opening. The last segment of a log is *active*: appended to, its indexes in memory and written
behind. The others are *closed*; their file and indexes are brought in when they are read and put away again.
What it never does: decide when to roll, sync, or look into a batch beyond its header (but for timestamps).

D2 Index entries point at batch starts.
I1 `ends[k]` is the offset after, `positions[k]` the position after the k-th recent batch; both begin with a sentinel,
   the place where the first of them starts. Every batch from there to the segment's end is in them.
I2 `borders` remembers, for a few base offsets where a read ended, the position of their batches.
"""

from __future__ import annotations

import posixpath
from bisect import bisect_right
from collections.abc import Iterator

from moldau import records
from moldau.environment import Disk, File
from moldau.records import HEADER_BYTES, BatchHeader, read_header
from moldau.storage import names
from moldau.storage.health import CorruptLog
from moldau.storage.index import MAX_SPAN, OFFSET_ENTRY_BYTES, TIME_ENTRY_BYTES, OffsetIndex, TimeIndex
from moldau.storage.scan import Scan
from moldau.storage.settings import LogSettings

NO_TIMESTAMP = -1
_RECENT_BATCHES = 4096
_MOST_BORDERS = 256
_WRITE_BEHIND_BYTES = 4096
_NEVER = 2**63


class MisleadingIndex(Exception):  # noqa: N818  (it names the trouble)
    """An index entry points elsewhere than at its batch: the index must be rebuilt."""


class Segment:
    """Batches from `base` up to `end_offset`, in `size` bytes."""

    __slots__ = (
        "_index_entries",
        "_interval",
        "_max_ms",
        "_time_entries",
        "base",
        "borders",
        "directory",
        "disk",
        "due",
        "end_limit",
        "end_offset",
        "ends",
        "file",
        "first_timestamp",
        "index",
        "indexed_at",
        "newest",
        "newest_offset",
        "positions",
        "size",
        "stale_indexes",
        "time_limit",
        "times",
    )

    def __init__(self, disk: Disk, directory: str, base: int, settings: LogSettings) -> None:
        self.disk = disk
        self.directory = directory
        self.base = base
        self.size = 0
        self.end_offset = base
        self.file: File | None = None
        self.stale_indexes = False
        """The index files hold something else than the beginning of the indexes in memory."""
        self.due = False
        """Enough index entries wait to be written behind."""
        self.time_limit = self.end_limit = 0
        """What goes beyond either belongs into the next segment."""
        self.forget_batches()
        self.configure(settings)

    def configure(self, settings: LogSettings) -> None:
        """Go by other settings from now on."""
        self._interval = settings.index_interval_bytes
        self._max_ms = settings.segment_ms
        self._index_entries = settings.segment_index_bytes // OFFSET_ENTRY_BYTES
        self._time_entries = settings.segment_index_bytes // TIME_ENTRY_BYTES - 1
        self._set_limits()

    def path(self, suffix: str) -> str:
        return posixpath.join(self.directory, names.numbered(self.base, suffix))

    # ------------------------------------------------------------------------------------------- growing

    def forget_batches(self) -> None:
        """As if it were empty: before everything in it is added anew."""
        self.index = OffsetIndex(self.base)
        self.times = TimeIndex(self.base)
        self.borders: dict[int, int] = {}
        self.indexed_at = 0
        self.newest = NO_TIMESTAMP
        self.newest_offset = self.base
        self.first_timestamp = NO_TIMESTAMP
        self.forget_recent(0, self.base)

    def _set_limits(self) -> None:
        self.time_limit = self.first_timestamp + self._max_ms if self.first_timestamp >= 0 else _NEVER
        full = len(self.index) >= self._index_entries or len(self.times) >= self._time_entries
        self.end_limit = self.base if full else self.base + MAX_SPAN

    def forget_recent(self, position: int, offset: int) -> None:
        self.size = position
        self.end_offset = offset
        self.positions = [position]
        self.ends = [offset]

    def add(self, size: int, end_offset: int, timestamp: int) -> None:
        """Take note of the batch that stands at `size` in the file."""
        position = self.size
        if timestamp > self.newest:
            if position == 0:
                self.first_timestamp = timestamp
                self._set_limits()
            self.newest = timestamp
            self.newest_offset = end_offset - 1
        if position - self.indexed_at > self._interval:
            self.index.append(end_offset - 1, position)
            self.times.append(self.newest, self.newest_offset)
            self.indexed_at = position
            self.due = len(self.index.unwritten) >= _WRITE_BEHIND_BYTES
            self._set_limits()
        self.size = position = position + size
        self.end_offset = end_offset
        ends = self.ends
        ends.append(end_offset)
        self.positions.append(position)
        if len(ends) > _RECENT_BATCHES:
            del ends[: _RECENT_BATCHES // 2], self.positions[: _RECENT_BATCHES // 2]

    # ------------------------------------------------------------------------------------------- reading

    def recent(self, offset: int, upper_bound: int, max_bytes: int, at_least_one: bool) -> tuple[int, int]:
        """`extent` out of memory, for an offset at or above `ends[0]` and below `end_offset`."""
        ends = self.ends
        first = bisect_right(ends, offset)
        last = len(ends) - 1 if upper_bound >= self.end_offset else bisect_right(ends, upper_bound) - 1
        positions = self.positions
        start = positions[first - 1]
        if last < first:
            return start, start
        end = positions[last]
        if end - start > max_bytes:
            last = bisect_right(positions, start + max_bytes, first, last) - 1
            if last < first:
                if not at_least_one:
                    return start, start
                last = first
            end = positions[last]
        return start, end

    def extent(self, offset: int, upper_bound: int, max_bytes: int, at_least_one: bool) -> tuple[int, int] | None:
        """Start and end in the file of the whole batches from the one that holds `offset` (or the next after it) on:
        as many as are below `upper_bound` and fit. None when the segment ends before the offset."""
        start = self.borders.get(offset)
        if start is None:
            found = self.batch_at(offset)
            if found is None:
                return None
            start = found[0]
        limit = start + max_bytes
        if limit >= self.size and upper_bound >= self.end_offset:
            return start, self.size
        entry = min(self.index.entry_at_most(limit), self.index.entry_for(upper_bound))
        end = start
        for position, header in self.scan(entry) if entry[1] > start else self.scan((-1, start)):
            end = position
            if header.last_offset >= upper_bound:
                break
            if position + header.size > limit and not (at_least_one and position == start):
                self._note_border(header.base_offset, position)
                break
            end += header.size
        return start, end

    def _note_border(self, offset: int, position: int) -> None:
        """I2: who read up to here will ask for what stands here."""
        if len(self.borders) >= _MOST_BORDERS:
            self.borders.clear()
        self.borders[offset] = position

    def batch_at(self, offset: int) -> tuple[int, BatchHeader] | None:
        """Position and header of the batch that holds an offset, or else of the next one."""
        for position, header in self.scan(self.index.entry_for(offset)):
            if header.last_offset >= offset:
                return position, header
        return None

    def find_timestamp(self, timestamp: int, from_offset: int) -> tuple[int, int] | None:
        """Offset and timestamp of the first record from an offset on that is at least as young."""
        file = self._opened()
        start = self.index.entry_for(max(from_offset, self.times.offset_for(timestamp)))
        for position, header in self.scan(start):
            if header.max_timestamp >= timestamp and header.last_offset >= from_offset:
                for offset, record_timestamp, *_ in records.decode(file.read(position, header.size), from_offset):
                    if record_timestamp >= timestamp:
                        return offset, record_timestamp
        return None

    def scan(self, entry: tuple[int, int] = (-1, 0)) -> Iterator[tuple[int, BatchHeader]]:
        """The headers from an index entry on, to the segment's end. MisleadingIndex when the entry is wrong (D2)."""
        last_offset, start = entry
        scan = Scan(self._opened(), start, self.size)
        for position, header in scan:
            if position == start and header.last_offset != last_offset != -1:
                raise MisleadingIndex
            yield position, header
        if scan.problem is not None:
            if last_offset != -1:
                raise MisleadingIndex
            raise CorruptLog(self.path(names.LOG), f"{scan.problem} at position {scan.position}")

    def _opened(self) -> File:
        assert self.file is not None, "a segment is brought in before it is read"
        return self.file

    # ----------------------------------------------------------------------------------- bringing in, putting away

    def open_file(self, *, create: bool = False) -> File:
        if self.file is None:
            self.file = self.disk.open(self.path(names.LOG), create=create)
        return self.file

    def bring_in(self) -> None:
        """Open the file and load its indexes; what they lack is found by walking, and written behind."""
        file = self.open_file()
        size, end_offset = file.size(), self.end_offset
        self.forget_batches()
        start = self._load_indexes(file, size)
        problem = self._walk(file, start, size)
        self.end_offset = max(self.end_offset, end_offset)
        if problem is not None:  # perhaps the index led astray
            self.rebuild()

    def rebuild(self) -> None:
        """Forget the indexes and make them anew from the batches."""
        end_offset = self.end_offset
        file = self.open_file()
        self.forget_batches()
        self.stale_indexes = True
        problem = self._walk(file, 0, file.size())
        if problem is not None:
            raise CorruptLog(self.path(names.LOG), f"{problem} at position {self.size}")
        self.end_offset = max(self.end_offset, end_offset)

    def _walk(self, file: File, start: int, end: int) -> str | None:
        """Add the batches of a stretch of the file; what is wrong with it."""
        self.forget_recent(start, self.base)
        scan = Scan(file, start, end, offset=self.base)
        for position, header in scan:
            if position == start > 0:
                self.ends[0] = header.base_offset  # I1
            self.add(header.size, header.last_offset + 1, header.max_timestamp)
        return scan.problem

    def put_away(self) -> None:
        """Release the file and forget the indexes; an open slice keeps the file."""
        if self.file is not None:
            self.file.release()
            self.file = None
        size, end_offset, newest = self.size, self.end_offset, self.newest
        self.forget_batches()
        self.size, self.end_offset, self.newest = size, end_offset, newest

    def _load_indexes(self, file: File, size: int) -> int:
        """Take over the index files as far as they can be trusted; the position up to which they tell all."""
        index = OffsetIndex.decode(self.base, self._read_index(names.OFFSET_INDEX), size)
        times = TimeIndex.decode(self.base, self._read_index(names.TIME_INDEX))
        last = index.last() if index else None
        if index is None or times is None or (last and not (len(times) and _ends_at(file, last))):
            self.stale_indexes = True
            return 0
        self.index, self.times = index, times
        youngest = times.last()
        if youngest is not None:
            self.newest, self.newest_offset = youngest
        if size:
            self.first_timestamp = read_header(file.read(0, HEADER_BYTES)).max_timestamp
        self.indexed_at = last[1] if last else 0
        self._set_limits()
        return self.indexed_at

    def _read_index(self, suffix: str) -> bytes:
        path = self.path(suffix)
        return self.disk.read_file(path) if self.disk.exists(path) else b""

    # ---------------------------------------------------------------------------------------- index files

    def peek_indexes(self) -> bool:
        """Learn the youngest timestamp; whether the ends of both files look right. The rest is judged when they are
        loaded."""
        if not self.size:
            return True
        if self._ends_of(names.OFFSET_INDEX, OFFSET_ENTRY_BYTES) is None:
            return False
        ends = TimeIndex.decode(self.base, self._ends_of(names.TIME_INDEX, TIME_ENTRY_BYTES) or b"")
        youngest = ends.last() if ends else None
        if youngest is None or youngest[0] == 0:
            return False
        self.newest, self.newest_offset = youngest
        return True

    def _ends_of(self, suffix: str, entry: int) -> bytes | None:
        """First and last entry of an index file; None when it is not there or does not hold whole entries."""
        path = self.path(suffix)
        if not self.disk.exists(path):
            return None
        file = self.disk.open(path, writable=False)
        try:
            size = file.size()
            if size % entry:
                return None
            return file.read(0, entry) + (file.read(size - entry, entry) if size > entry else b"")
        finally:
            file.release()

    def seal_times(self) -> None:
        """The youngest record gets its entry, as it must before the file is left alone."""
        if self.newest != NO_TIMESTAMP:
            self.times.append(self.newest, self.newest_offset)

    def write_indexes(self) -> list[str]:
        """Write behind what the index files lack; the paths, to be synced."""
        paths = []
        for suffix, index in ((names.OFFSET_INDEX, self.index), (names.TIME_INDEX, self.times)):
            path = self.path(suffix)
            file = self.disk.open(path, create=True)
            try:
                if self.stale_indexes:
                    file.truncate(0)
                if index.unwritten:
                    file.append((index.unwritten,))
                    index.unwritten = bytearray()
            finally:
                file.release()
            paths.append(path)
        self.stale_indexes = self.due = False
        return paths

    def truncate(self, offset: int) -> None:
        """Cut the batch that holds an offset and all after it."""
        found = self.batch_at(offset)
        if found is None:
            self.end_offset = self.ends[-1]
            return
        position, _ = found
        self._opened().truncate(position)
        self.stale_indexes = True
        self.index.truncate(position)
        self.times.truncate(offset)
        self.borders.clear()
        youngest = self.times.last()
        _, start = self.index.last() or (-1, 0)
        self.newest, self.newest_offset = youngest or (NO_TIMESTAMP, self.base)
        self.indexed_at = start
        if position == 0:
            self.first_timestamp = NO_TIMESTAMP
        self._walk(self._opened(), start, position)
        self._set_limits()

    def set_aside(self) -> list[str]:
        """Rename all its files, to be removed later; the paths they have now. An open slice keeps the file."""
        self.put_away()
        kinds = (names.OFFSET_INDEX, names.TIME_INDEX, names.LOG)
        return [names.set_aside(self.disk, path) for path in map(self.path, kinds) if self.disk.exists(path)]

    def remove(self) -> None:
        """All its files; the log's own last, so that an interrupted removal leaves a segment and no orphans."""
        self.put_away()
        for suffix in (names.OFFSET_INDEX, names.TIME_INDEX, names.LOG):
            path = self.path(suffix)
            if self.disk.exists(path):
                self.disk.remove(path)


def _ends_at(file: File, entry: tuple[int, int]) -> bool:
    """Whether a batch stands at an entry's position and ends with its offset."""
    last_offset, position = entry
    data = file.read(position, HEADER_BYTES)
    return len(data) == HEADER_BYTES and read_header(data).last_offset == last_offset
