"""Where a consumer stands in each of its partitions, what it has fetched ahead, and what to fetch next.

The fetcher is its only caller; it sees answers as plain data and never waits or connects.

I1  Records of a partition are handed out in the order of their offsets, each once, from where the user put the
    position; what was fetched for an older position is dropped (every seek starts a new term).
I2  A partition is in at most one fetch at a time.
I3  Nothing is fetched while `prefetch_bytes` or more wait to be handed out.
I4  A leader is not asked while one of its partitions has twice `partition_bytes` waiting: an answer that has to
    wait for quiet partitions must not hold up a busy one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from moldau.client.fetched import FetchedBatch
from moldau.environment.doors import Buffer
from moldau.records import BatchHeader, decode_columns, read_headers

EARLIEST = -2
LATEST = -1
"""ListOffsets asks for these instead of a time."""

NOWHERE = -1


class Extent(NamedTuple):
    """One batch inside a chunk: how many records at most, and where it and the next one begin."""

    records: int
    position: int
    last_offset: int


class Chunk:
    """Whole batches of one answer, not handed out yet."""

    __slots__ = ("data", "extents", "first")

    def __init__(self, data: memoryview, extents: list[Extent]) -> None:
        self.data = data
        self.extents = extents
        self.first = 0
        """The first of the extents that is still to be handed out."""

    def piece(self, first: int, last: int) -> memoryview:
        """The bytes of the extents from `first` up to but without `last`."""
        end = self.extents[last].position if last < len(self.extents) else len(self.data)
        return self.data[self.extents[first].position : end]


class Position:
    """One partition."""

    __slots__ = (
        "chunks",
        "fetch_offset",
        "fetching",
        "finding",
        "high_watermark",
        "index",
        "not_before_ms",
        "offset",
        "paused",
        "stop",
        "term",
        "waiting_bytes",
        "waiting_count",
        "wanted",
    )

    def __init__(self, index: int) -> None:
        self.index = index
        self.term = 0
        self.offset = NOWHERE
        """The next to hand out."""
        self.fetch_offset = NOWHERE
        """The next to fetch."""
        self.wanted: int | None = EARLIEST
        """A time (or EARLIEST, LATEST) whose offset must be found first."""
        self.finding = False
        self.stop: int | None = None
        self.fetching = False
        self.paused = False
        self.chunks: deque[Chunk] = deque()
        self.waiting_bytes = 0
        self.waiting_count = 0
        self.high_watermark = NOWHERE
        self.not_before_ms = 0

    @property
    def finished(self) -> bool:
        """Whether everything up to the stop has been handed out."""
        return self.stop is not None and self.wanted is None and self.offset >= self.stop

    @property
    def fetched_all(self) -> bool:
        """Whether everything up to the stop has been fetched."""
        return self.stop is not None and self.fetch_offset >= self.stop


class Positions:
    """The partitions of one consumer."""

    def __init__(self, topic: str, partitions: Sequence[int], *, partition_bytes: int, prefetch_bytes: int) -> None:
        self.topic = topic
        self._partition_bytes = partition_bytes
        self._prefetch_bytes = prefetch_bytes
        self._of = {index: Position(index) for index in partitions}
        self._waiting_bytes = 0
        self._order: dict[int, None] = {}
        """The partitions that have chunks, the one served longest ago first."""

    # ----------------------------------------------------------------------------- the user's side

    @property
    def indexes(self) -> list[int]:
        """The partitions, sorted."""
        return sorted(self._of)

    def at(self, index: int) -> Position:
        """One partition; ValueError when it is not assigned."""
        position = self._of.get(index)
        if position is None:
            raise ValueError(f"partition {index} of {self.topic!r} is not assigned; assigned are {self.indexes}")
        return position

    @property
    def finished(self) -> bool:
        """Whether every partition has a stop and reached it."""
        return all(position.finished for position in self._of.values())

    def seek(self, index: int, offset: int | None, wanted: int | None = None) -> None:
        """Go on at an offset, or at the one to be found for a time."""
        position = self.at(index)
        position.term += 1  # I1
        position.finding = False
        position.wanted = wanted if offset is None else None
        position.offset = position.fetch_offset = NOWHERE if offset is None else offset
        position.not_before_ms = 0
        self._drop(position)

    def ready(self, max_records: int) -> bool:
        """Whether some partition has that many records, or all that it will ever have, or the buffer is full."""
        full = self._waiting_bytes >= self._prefetch_bytes
        for index in self._order:
            position = self._of[index]
            if not position.paused and (
                full
                or position.waiting_count >= max_records
                or position.waiting_bytes >= 2 * self._partition_bytes
                or position.fetched_all
            ):
                return True
        return False

    def take(self, max_records: int) -> FetchedBatch | None:
        """The next batch of one partition, of at most so many records; None when nothing waits."""
        index = next((index for index in self._order if not self._of[index].paused), None)
        if index is None:
            return None
        position = self._of[index]
        start = position.offset
        parts: list[Buffer] = []
        room = max_records
        while position.chunks and room > 0:
            chunk = position.chunks[0]
            first = last = chunk.first
            while last < len(chunk.extents) and chunk.extents[last].records <= room:
                room -= chunk.extents[last].records
                position.offset = chunk.extents[last].last_offset + 1
                last += 1
            if last > first:
                parts.append(chunk.piece(first, last))
                self._handed_out(position, chunk, first, last)
            if last < len(chunk.extents):
                if not parts:
                    parts.append(self._cut(position, chunk, max_records))
                break
        if position.stop is not None and position.offset >= position.stop:
            position.offset = position.stop
            self._drop(position)
        self._order.pop(index, None)
        if position.chunks:
            self._order[index] = None
        return FetchedBatch(self.topic, index, parts, start, position.offset)

    # --------------------------------------------------------------------------- the fetcher's side

    def to_find(self, now_ms: int) -> list[Position]:
        """The partitions whose offset has to be found and is not being looked for."""
        return [
            position
            for position in self._of.values()
            if position.wanted is not None and not position.finding and position.not_before_ms <= now_ms
        ]

    def found(self, index: int, term: int, offset: int) -> None:
        """The offset of the wanted time; -1 when no record is as late, which is the end."""
        position = self._of[index]
        if position.term != term:
            return
        position.finding = False
        if offset < 0 and position.wanted != LATEST:
            position.wanted = LATEST
            return
        position.wanted = None
        position.offset = position.fetch_offset = offset

    def fetchable(self, now_ms: int, leader_of: Callable[[int], int]) -> dict[int, list[Position]]:
        """The partitions to ask each leader for."""
        if self._waiting_bytes >= self._prefetch_bytes:
            return {}  # I3
        by_leader: dict[int, list[Position]] = {}
        held: dict[int, None] = {}
        for position in self._of.values():
            if position.paused or position.wanted is not None or position.fetched_all:
                continue
            leader = leader_of(position.index)
            if position.waiting_bytes >= 2 * self._partition_bytes:
                held[leader] = None
            elif not position.fetching and position.not_before_ms <= now_ms:
                by_leader.setdefault(leader, []).append(position)
        return {leader: positions for leader, positions in by_leader.items() if leader not in held}  # I4

    def received(
        self,
        index: int,
        term: int,
        data: Buffer,
        high_watermark: int,
        aborted: Sequence[tuple[int, int]] = (),
    ) -> bool:
        """An answer's records for one partition; `aborted` are the producers and first offsets of transactions to
        be left out. Whether there was anything new."""
        position = self._of[index]
        position.fetching = False
        if position.term != term:
            return False
        position.high_watermark = high_watermark
        headers = read_headers(data)
        chunk = _chunk_of(memoryview(data), headers, position.fetch_offset, aborted)
        if not chunk.extents:
            return False
        position.fetch_offset = chunk.extents[-1].last_offset + 1
        self._of[index] = self._of.pop(index)
        self._add(position, chunk)
        return True

    def failed(self, index: int, term: int, not_before_ms: int) -> None:
        """The fetch or the search came to nothing: again, but not before that time."""
        position = self._of[index]
        position.fetching = False
        if position.term == term:
            position.finding = False
            position.not_before_ms = not_before_ms

    def wake_at(self, now_ms: int) -> int | None:
        """When the pause of some partition ends."""
        times = [position.not_before_ms for position in self._of.values() if position.not_before_ms > now_ms]
        return min(times, default=None)

    # ------------------------------------------------------------------------------------- inside

    def _add(self, position: Position, chunk: Chunk) -> None:
        count = sum(extent.records for extent in chunk.extents)
        if not count and not position.chunks:
            position.offset = position.fetch_offset
            return
        position.chunks.append(chunk)
        position.waiting_count += count
        position.waiting_bytes += len(chunk.data)
        self._waiting_bytes += len(chunk.data)
        self._order.setdefault(position.index)

    def _handed_out(self, position: Position, chunk: Chunk, first: int, last: int) -> None:
        chunk.first = last
        size = len(chunk.piece(first, last))
        position.waiting_count -= sum(extent.records for extent in chunk.extents[first:last])
        position.waiting_bytes -= size
        self._waiting_bytes -= size
        if last == len(chunk.extents):
            position.chunks.popleft()

    def _cut(self, position: Position, chunk: Chunk, max_records: int) -> memoryview:
        """The first extent alone has too many records: hand it out up to the record behind the last one wanted."""
        first = chunk.first
        piece = chunk.piece(first, first + 1)
        columns = decode_columns(piece, position.offset)
        offsets = memoryview(columns.offsets).cast("B").cast("q")
        if len(offsets) > max_records:
            position.offset = offsets[max_records]
        else:
            position.offset = chunk.extents[first].last_offset + 1
            self._handed_out(position, chunk, first, first + 1)
        return piece

    def _drop(self, position: Position) -> None:
        self._waiting_bytes -= position.waiting_bytes
        position.chunks.clear()
        position.waiting_bytes = position.waiting_count = 0
        self._order.pop(position.index, None)


def _chunk_of(
    data: memoryview, headers: Sequence[BatchHeader], fetch_offset: int, aborted: Sequence[tuple[int, int]]
) -> Chunk:
    """The batches from `fetch_offset` on, without those of aborted transactions."""
    left_out = _Aborted(aborted)
    extents: list[Extent] = []
    kept: list[memoryview] = []
    at = size = 0
    for header in headers:
        end = at + header.size
        if header.last_offset >= fetch_offset:
            hidden = left_out.hides(header)
            extents.append(Extent(0 if hidden or header.is_control else header.record_count, size, header.last_offset))
            if not hidden:
                kept.append(data[at:end])
                size += header.size
        at = end
    if len(kept) == len(headers):
        return Chunk(data[:at], extents)
    return Chunk(memoryview(b"".join(kept)), extents)


class _Aborted:
    """Which batches belong to aborted transactions: from a producer's first offset on, up to its next marker."""

    def __init__(self, transactions: Sequence[tuple[int, int]]) -> None:
        self._begins = deque(sorted(transactions, key=lambda transaction: transaction[1]))
        self._open: dict[int, None] = {}

    def hides(self, header: BatchHeader) -> bool:
        while self._begins and self._begins[0][1] <= header.last_offset:
            self._open[self._begins.popleft()[0]] = None
        if header.is_control:
            self._open.pop(header.producer_id, None)
            return False
        return header.is_transactional and header.producer_id in self._open
