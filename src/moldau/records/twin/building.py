"""Building batches: records in, one batch of bytes out.

Called by the twin's front: clients build what they produce, coordinators what they append.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

from crc32c import crc32c

from moldau.records.headers import (
    CONTROL_BIT,
    HEADER_BYTES,
    LENGTH_OVERHEAD,
    TRANSACTIONAL_BIT,
    Buffer,
    Codec,
    HeaderPair,
    Record,
)
from moldau.records.twin.batches import HEADER
from moldau.records.twin.compression import check_level, compress
from moldau.records.twin.varint import SHORT, encode, wrap_long

SHORT_COUNT = len(SHORT)
_MOST_BYTES = 0x7FFFFFFF
_ATTRIBUTES_AT = 21


class Header(NamedTuple):
    """What the header of a batch under construction will say."""

    record_count: int
    base_timestamp: int
    max_timestamp: int
    codec: Codec
    base_offset: int
    leader_epoch: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    transactional: bool = False
    control: bool = False


def build(
    records: Sequence[Record],
    *,
    codec: Codec = Codec.NONE,
    base_offset: int = 0,
    leader_epoch: int = -1,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    transactional: bool = False,
    control: bool = False,
    compression_level: int | None = None,
) -> bytes:
    """One batch of at least one record; ValueError when there is none or the batch would pass 2 GiB."""
    check_level(codec, compression_level)
    _require_some(records)
    base = records[0][0]
    parts: list[Buffer] = []
    most = _add_records(parts, 0, base, base, records)
    header = Header(
        len(records), base, most, codec, base_offset, leader_epoch, producer_id,
        producer_epoch, base_sequence, transactional, control,
    )  # fmt: skip
    return _assemble(parts, header, compression_level)


def build_values(
    values: Sequence[Buffer | None],
    timestamp: int,
    *,
    codec: Codec = Codec.NONE,
    base_offset: int = 0,
    leader_epoch: int = -1,
    producer_id: int = -1,
    producer_epoch: int = -1,
    base_sequence: int = -1,
    transactional: bool = False,
    control: bool = False,
    compression_level: int | None = None,
) -> bytes:
    """`build` for records of one time that have a value and nothing else."""
    check_level(codec, compression_level)
    _require_some(values)
    _require_long(timestamp)
    parts: list[Buffer] = []
    for first, last, width in _offset_ranges(len(values)):
        heads: dict[int, tuple[bytes, bytes]] = {}
        for index in range(first, last):
            value = values[index]
            size = -1 if value is None else len(value)
            head = heads.get(size)
            if head is None:
                head = heads[size] = _value_head(size, width)
            parts += (head[0], SHORT[index] if index < SHORT_COUNT else encode(index), head[1], value or b"", b"\0")
    header = Header(
        len(values), timestamp, timestamp, codec, base_offset, leader_epoch, producer_id,
        producer_epoch, base_sequence, transactional, control,
    )  # fmt: skip
    return _assemble(parts, header, compression_level)


class BatchBuilder:
    """A batch that grows record by record up to a limit of bytes (before compression)."""

    def __init__(self, codec: Codec, limit_bytes: int, compression_level: int | None = None) -> None:
        check_level(codec, compression_level)
        self._codec = Codec(codec)
        self._limit = limit_bytes
        self._level = compression_level
        self._records: list[Buffer] = []
        self._base = self._most = 0
        self.count = 0
        self.size = HEADER_BYTES

    def append(
        self, timestamp: int, key: Buffer | None, value: Buffer | None, headers: Sequence[HeaderPair] = ()
    ) -> bool:
        """False, and nothing is taken, when the record would pass the limit; the first one always fits."""
        base, most = (self._base, self._most) if self.count else (timestamp, timestamp)
        parts: list[Buffer] = []
        most = _add_records(parts, self.count, base, most, ((timestamp, key, value, headers),))
        record = b"".join(parts)
        size = self.size + len(record)
        if size > self._limit and self.count:
            return False
        self._records.append(record)
        self._base, self._most = base, most
        self.count += 1
        self.size = size
        return True

    def finish(
        self,
        *,
        base_offset: int = 0,
        leader_epoch: int = -1,
        producer_id: int = -1,
        producer_epoch: int = -1,
        base_sequence: int = -1,
        transactional: bool = False,
    ) -> bytes:
        """The batch; the builder is empty again. ValueError when it holds nothing."""
        if not self.count:
            raise ValueError("a batch needs at least one record")
        batch = _assemble(
            self._records,
            Header(self.count, self._base, self._most, self._codec, base_offset, leader_epoch, producer_id,
                   producer_epoch, base_sequence, transactional),
            self._level,
        )  # fmt: skip
        self._records = []
        self.count = 0
        self.size = HEADER_BYTES
        return batch


def _require_some(records: Sequence[object]) -> None:
    if not records:
        raise ValueError("a batch needs at least one record")


def _require_long(timestamp: int) -> None:
    if not -0x8000000000000000 <= timestamp <= 0x7FFFFFFFFFFFFFFF:
        raise OverflowError(f"the timestamp {timestamp} does not fit 64 bits")


def _add_records(parts: list[Buffer], first: int, base: int, most: int, records: Sequence[Record]) -> int:
    """Append the records, the first of which is number `first`; returns the largest of their times and `most`."""
    short, count = SHORT, SHORT_COUNT
    _require_long(base)
    for index, (timestamp, key, value, headers) in enumerate(records, first):
        if timestamp != most:
            _require_long(timestamp)
            most = max(most, timestamp)
        delta = timestamp - base
        time = short[delta] if 0 <= delta < count else encode(wrap_long(delta))
        place = short[index] if index < count else encode(index)
        if key is None:
            key, key_head = b"", b"\x01"
        else:
            size = len(key)
            key_head = short[size] if size < count else encode(size)
        if value is None:
            value, value_head = b"", b"\x01"
        else:
            size = len(value)
            value_head = short[size] if size < count else encode(size)
        tail = _headers(headers) if headers else b"\0"
        size = 1 + len(time) + len(place) + len(key_head) + len(key) + len(value_head) + len(value) + len(tail)
        head = short[size] if size < count else encode(size)
        parts += (head, b"\0", time, place, key_head, key, value_head, value, tail)
    return most


def _headers(headers: Sequence[HeaderPair]) -> bytes:
    parts: list[Buffer] = [encode(len(headers))]
    for name, value in headers:
        key = name.encode()
        size = len(key)
        parts += (SHORT[size] if size < SHORT_COUNT else encode(size), key)
        if value is None:
            parts.append(b"\x01")
        else:
            size = len(value)
            parts += (SHORT[size] if size < SHORT_COUNT else encode(size), value)
    return b"".join(parts)


def _offset_ranges(count: int) -> list[tuple[int, int, int]]:
    """The runs of offsets whose varints have the same width: first, one past the last, width."""
    runs = []
    first = 0
    for width in range(1, 6):
        last = min(count, 1 << (7 * width - 1))
        if first < last:
            runs.append((first, last, width))
        first = last
    return runs


def _value_head(size: int, offset_width: int) -> tuple[bytes, bytes]:
    """What stands before and after the offset of a record that is a value of that size alone (-1 for null)."""
    after = b"\x01" + encode(size)
    return encode(2 + offset_width + len(after) + max(size, 0) + 1) + b"\0\0", after


def _assemble(parts: list[Buffer], header: Header, level: int | None) -> bytes:
    payload = compress(header.codec, b"".join(parts), level)
    length = HEADER_BYTES - LENGTH_OVERHEAD + len(payload)
    if length > _MOST_BYTES:
        raise ValueError(f"the batch would have {length + LENGTH_OVERHEAD} bytes; put fewer records in it")
    attributes = int(header.codec)
    attributes |= TRANSACTIONAL_BIT if header.transactional else 0
    attributes |= CONTROL_BIT if header.control else 0
    fields = [
        header.base_offset, length, header.leader_epoch, 2, 0, attributes, header.record_count - 1,
        header.base_timestamp, header.max_timestamp, header.producer_id, header.producer_epoch, header.base_sequence,
        header.record_count,
    ]  # fmt: skip
    fields[4] = crc32c(payload, crc32c(_pack(fields)[_ATTRIBUTES_AT:]))
    return _pack(fields) + payload


def _pack(fields: list[int]) -> bytes:
    try:
        return HEADER.pack(*fields)
    except struct.error as broken:
        raise OverflowError(f"a number does not fit its field of the header: {broken}") from None
