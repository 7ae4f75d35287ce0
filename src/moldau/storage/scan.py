"""Walking over the batches of a segment, header by header or byte by byte.

Who calls: segment (to find a batch, to complete an index) and opening (to recover). What it never does: change
anything, or raise for damage; it stops there and says what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

from moldau.environment import File
from moldau.model import NO_EPOCH
from moldau.records import HEADER_BYTES, BatchHeader, read_header, verified_headers
from moldau.records.headers import LENGTH_OVERHEAD
from moldau.storage.index import MAX_SPAN

_MAGIC = 2
_HEADER_WINDOW = 8 << 10
_BATCH_WINDOW = 1 << 20
LARGEST_BATCH = 256 << 20
"""No batch is larger: a damaged length must not make a scan read a whole segment into memory."""


class Scan:
    """The headers from a position on, each with where its batch starts; `problem` tells why it ended before `end`.

    `position` and `offset` stand behind the last batch given out.
    """

    def __init__(self, file: File, position: int, end: int, *, offset: int = 0) -> None:
        self.position = position
        self.offset = offset
        self.problem: str | None = None
        self._file = file
        self._end = end

    def __iter__(self) -> Iterator[tuple[int, BatchHeader]]:
        window, window_at = b"", self.position
        while self.position < self._end:
            position = self.position
            at = position - window_at
            if at + HEADER_BYTES > len(window):
                window, window_at, at = self._read(_HEADER_WINDOW), position, 0
                if len(window) < HEADER_BYTES:
                    self.problem = "the file ends inside a batch header"
                    return
            header = read_header(window, at)
            self.problem = self._judge(header)
            if self.problem is not None:
                return
            self._pass(header)
            yield position, header

    def _read(self, length: int) -> bytes:
        return self._file.read(self.position, min(length, self._end - self.position))

    def _pass(self, header: BatchHeader) -> None:
        self.position += header.size
        self.offset = header.last_offset + 1

    def _judge(self, header: BatchHeader) -> str | None:
        """What a header alone tells."""
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
        return None


class CheckedScan(Scan):
    """The same, but every byte is read and every CRC compared.

    Offset and epoch lie outside of the CRC: one that leaps is believed only if the next batch goes on from there.
    """

    def __init__(self, file: File, end: int, *, base: int) -> None:
        super().__init__(file, 0, end, offset=base)
        self._limit = base + MAX_SPAN
        self._epoch: int = NO_EPOCH

    def __iter__(self) -> Iterator[tuple[int, BatchHeader]]:
        while self.position < self._end:
            headers = self._sound()
            if not headers:
                return
            for header, following in zip(headers, [*headers[1:], None], strict=True):
                base, length, epoch, _, _, _, delta, _, _, _, _, _, _ = header
                if base != self.offset or epoch != self._epoch or not 0 <= delta <= self._limit - base:  # seldom
                    self.problem = self._judge(header) or self._judge_order(header, following)
                    if self.problem is not None:
                        return
                    self._epoch = epoch
                position = self.position
                self.position = position + length + LENGTH_OVERHEAD
                self.offset = base + delta + 1
                yield position, header

    def _sound(self) -> list[BatchHeader]:
        """Some batches from here on that are true to their CRC; `problem` when there are none."""
        window = self._read(_BATCH_WINDOW)
        headers = verified_headers(window)
        if headers:
            return headers
        if len(window) < HEADER_BYTES:
            self.problem = "the file ends inside a batch header"
            return []
        header = read_header(window)
        self.problem = self._judge(header)
        if self.problem is None and header.size > len(window):
            headers = verified_headers(self._read(header.size))
        if not headers and self.problem is None:
            self.problem = "the CRC is wrong"
        return headers

    def _judge_order(self, header: BatchHeader, following: BatchHeader | None) -> str | None:
        base, epoch = header.base_offset, header.leader_epoch
        if 0 <= epoch < self._epoch:
            return f"leader epoch {epoch} stands after {self._epoch}"
        if header.last_offset > self._limit:
            return f"offset {base} stands in the segment of {self._limit - MAX_SPAN}"
        after = following or self._header_at(self.position + header.size)
        if after is not None and self.offset <= after.base_offset <= header.last_offset:
            return f"offset {base} stands before {after.base_offset}"
        if after is not None and self._epoch <= after.leader_epoch < epoch:
            return f"leader epoch {epoch} stands before {after.leader_epoch}"
        return None

    def _header_at(self, position: int) -> BatchHeader | None:
        """The header there, if there is one."""
        if position + HEADER_BYTES > self._end:
            return None
        header = read_header(self._file.read(position, HEADER_BYTES))
        return header if header.magic == _MAGIC else None
