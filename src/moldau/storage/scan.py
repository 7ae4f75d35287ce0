"""Walking over the batches of a segment, header by header or byte by byte.

Who calls: segment (to find a batch, to complete an index) and opening (to recover). What it never does: change
anything, or raise for damage; it stops there and says what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

from moldau.environment import File
from moldau.model import NO_EPOCH
from moldau.records import HEADER_BYTES, BatchHeader, crc32c, read_header
from moldau.storage.index import MAX_SPAN

_MAGIC = 2
_HEADER_WINDOW = 8 << 10
_BATCH_WINDOW = 1 << 20
_BEFORE_CRC_COVER = 21
LARGEST_BATCH = 256 << 20
"""No batch is larger: a damaged length must not make a scan read a whole segment into memory."""


class Scan:
    """The batches from a position on, each with where it starts; `problem` tells why it ended before `end`.

    `position`, `offset` and `epoch` stand behind the last batch given out. `check` reads every byte and compares the
    CRC. Offset and epoch lie outside of it: one that leaps is believed only if the next batch goes on from there.
    """

    __slots__ = ("_base", "_check", "_end", "_file", "_window", "_window_at", "epoch", "offset", "position", "problem")

    def __init__(self, file: File, position: int, end: int, *, offset: int = 0, check: bool = False) -> None:
        self.position = position
        self.offset = offset
        self.epoch: int = NO_EPOCH
        self.problem: str | None = None
        self._file = file
        self._base = offset
        self._end = end
        self._check = check
        self._window = b""
        self._window_at = position

    def __iter__(self) -> Iterator[tuple[int, BatchHeader]]:
        while self.position < self._end:
            position = self.position
            at = self._show(position, HEADER_BYTES)
            if at is None:
                self.problem = "the file ends inside a batch header"
                return
            header = read_header(self._window, at)
            self.problem = self._judge(header)
            if self.problem is not None:
                return
            self.position = position + header.size
            self.offset = header.last_offset + 1
            self.epoch = header.leader_epoch
            yield position, header

    def _judge(self, header: BatchHeader) -> str | None:
        size = header.size
        if header.magic != _MAGIC:
            return f"magic {header.magic} stands where {_MAGIC} must"
        if not HEADER_BYTES <= size <= LARGEST_BATCH:
            return f"a batch claims {size} bytes"
        if header.last_offset_delta < 0:
            return f"a batch claims to end {-header.last_offset_delta} offsets before it begins"
        if header.base_offset < self.offset:
            return f"offset {header.base_offset} stands where {self.offset} or more must"
        if self.position + size > self._end:
            return "the file ends inside a batch"
        return self._judge_closely(header, size) if self._check else None

    def _judge_closely(self, header: BatchHeader, size: int) -> str | None:
        if 0 <= header.leader_epoch < self.epoch:
            return f"leader epoch {header.leader_epoch} stands after {self.epoch}"
        if header.last_offset - self._base > MAX_SPAN:
            return f"offset {header.base_offset} stands in the segment of {self._base}"
        at = self._show(self.position, size)
        if at is None:
            return "the file ends inside a batch"
        covered = memoryview(self._window)[at + _BEFORE_CRC_COVER : at + size]
        if crc32c(covered) != header.crc:
            return "the CRC is wrong"
        if header.base_offset > self.offset or header.leader_epoch > self.epoch:
            return self._judge_leap(header, self.position + size)
        return None

    def _judge_leap(self, header: BatchHeader, following: int) -> str | None:
        data = self._file.read(following, min(HEADER_BYTES, self._end - following))
        if len(data) < HEADER_BYTES:
            return None
        after = read_header(data)
        if after.magic == _MAGIC and self.offset <= after.base_offset <= header.last_offset:
            return f"offset {header.base_offset} stands before {after.base_offset}"
        if after.magic == _MAGIC and self.epoch <= after.leader_epoch < header.leader_epoch:
            return f"leader epoch {header.leader_epoch} stands before {after.leader_epoch}"
        return None

    def _show(self, position: int, length: int) -> int | None:
        """Bring that many bytes into the window; where they begin in it."""
        at = position - self._window_at
        if at + length <= len(self._window):
            return at
        window = max(length, _BATCH_WINDOW if self._check else _HEADER_WINDOW)
        self._window = self._file.read(position, min(window, self._end - position))
        self._window_at = position
        return 0 if length <= len(self._window) else None
