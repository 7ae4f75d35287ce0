"""The 61-byte header of a record batch (v2), its codec numbers, and what every other file here agrees on.

Who calls: all of `records`, native and twin, and whoever holds a `BatchHeader`. It never looks past a header.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

Buffer = bytes | bytearray | memoryview

HeaderPair = tuple[str, bytes | None]
"""One header of a record: a name and its value."""

Record = tuple[int, Buffer | None, Buffer | None, Sequence[HeaderPair]]
"""What `build` takes: timestamp in milliseconds, key, value, headers."""

DecodedRecord = tuple[int, int, bytes | None, bytes | None, tuple[HeaderPair, ...]]
"""What `decode` gives: offset, timestamp in milliseconds, key, value, headers."""

HEADER_BYTES = 61
LENGTH_OVERHEAD = 12
"""Bytes of a batch that its own length field does not count."""

MAX_DECOMPRESSED_BYTES = 256 * 1024 * 1024
"""How far one batch may unfold when a reader does not say otherwise."""

CODEC_BITS = 0x07
APPEND_TIME_BIT = 0x08
TRANSACTIONAL_BIT = 0x10
CONTROL_BIT = 0x20


class Codec(IntEnum):
    """How the records of a batch are compressed."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


class BatchHeader(NamedTuple):
    """The header as it stands in the bytes."""

    base_offset: int
    batch_length: int
    leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int

    @property
    def size(self) -> int:
        """Bytes of the whole batch."""
        return self.batch_length + LENGTH_OVERHEAD

    @property
    def codec(self) -> Codec:
        """ValueError for the three numbers that name no codec."""
        return Codec(self.attributes & CODEC_BITS)

    @property
    def last_offset(self) -> int:
        return self.base_offset + self.last_offset_delta

    @property
    def append_time(self) -> bool:
        """Whether every record's time is the broker's (then it is `max_timestamp`)."""
        return self.attributes & APPEND_TIME_BIT != 0

    @property
    def is_transactional(self) -> bool:
        return self.attributes & TRANSACTIONAL_BIT != 0

    @property
    def is_control(self) -> bool:
        return self.attributes & CONTROL_BIT != 0

    def stamped(self, base_offset: int, leader_epoch: int) -> BatchHeader:
        """The header after `stamp` with the same two numbers."""
        return BatchHeader._make((base_offset, self[1], leader_epoch, *self[3:]))
