"""Batches in, records out.

Called by the twin's front. It reads whole batches of any origin: offsets may have gaps (compaction), control
batches are passed over, a batch cut short at the end is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from moldau.model import ErrorCode
from moldau.records.errors import InvalidBatch
from moldau.records.headers import HEADER_BYTES, MAX_DECOMPRESSED_BYTES, BatchHeader, Buffer, DecodedRecord, HeaderPair
from moldau.records.twin import walk
from moldau.records.twin.batches import check_sum, read_header, whole_batch
from moldau.records.twin.compression import decompress
from moldau.records.twin.varint import Overlong, read_int, read_long, wrap_long

_SAFE_TIME = 1 << 62
"""Times below this take any short delta without leaving 64 bits."""
_MOST_BASE_OFFSET = (1 << 63) - (1 << 32)


def decode(
    buffer: Buffer, start_offset: int = 0, *, max_decompressed_bytes: int = MAX_DECOMPRESSED_BYTES
) -> list[DecodedRecord]:
    """The records from `start_offset` on; InvalidBatch when a batch's CRC, compression or records are broken."""
    records: list[DecodedRecord] = []
    for header, data in _batches(memoryview(buffer), max_decompressed_bytes):
        found = records_of(header, data)
        if found and min(found)[0] < start_offset:
            found = [record for record in found if record[0] >= start_offset]
        records += found
    return records


def _batches(view: memoryview, limit: int) -> Iterator[tuple[BatchHeader, bytes]]:
    position = 0
    while (size := whole_batch(view, position)) is not None:
        header = read_header(view, position)
        check_sum(view, position, header)
        if not header.is_control:
            if header.record_count < 0 or not 0 <= header.base_offset <= _MOST_BASE_OFFSET:
                raise InvalidBatch(
                    ErrorCode.INVALID_RECORD, f"the batch at byte {position} has an impossible count or offset"
                )
            if header.record_count:
                payload = bytes(view[position + HEADER_BYTES : position + size])
                yield header, decompress(header.attributes & 7, payload, limit)
        position += size


class _Malformed(Exception):  # noqa: N818
    """The quick walk tripped."""


def records_of(header: BatchHeader, data: bytes) -> list[DecodedRecord]:
    """All records of one batch.

    Numbers of one and two bytes are read in place; positions only grow, so a field that leaves its record is seen at
    the record's end.
    """
    records: list[DecodedRecord] = []
    add = records.append
    base_offset, base_time = header.base_offset, header.base_timestamp
    end = start = 0
    limit = len(data)
    try:
        for _ in range(header.record_count):
            start = end
            raw = data[start]
            if raw < 0x80:
                at = start + 1
                end = at + (raw >> 1)
                if raw & 1:
                    raise _Malformed
            elif (high := data[start + 1]) < 0x80:
                at = start + 2
                end = at + ((raw & 0x7F | high << 7) >> 1)
                if raw & 1:
                    raise _Malformed
            else:
                size, at = read_int(data, start)
                if size < 0:
                    raise _Malformed
                end = at + size
            if end > limit:
                raise _Malformed
            raw = data[at + 1]
            if raw < 0x80:
                at += 2
                time = base_time + ((raw >> 1) ^ -(raw & 1))
            else:
                delta, at = read_long(data, at + 1)
                time = wrap_long(base_time + delta)
            raw = data[at]
            if raw < 0x80:
                at += 1
                offset = base_offset + ((raw >> 1) ^ -(raw & 1))
            elif (high := data[at + 1]) < 0x80:
                at += 2
                raw = raw & 0x7F | high << 7
                offset = base_offset + ((raw >> 1) ^ -(raw & 1))
            else:
                delta, at = read_int(data, at)
                offset = base_offset + delta
            raw = data[at]
            if raw == 1:
                at += 1
                key = None
            else:
                key, at = _field(data, at)
            raw = data[at]
            if raw < 0x80:
                at += 1
                if raw & 1:
                    value = None
                else:
                    value = data[at : at + (raw >> 1)]
                    at += raw >> 1
            elif (high := data[at + 1]) < 0x80 and not raw & 1:
                size = (raw & 0x7F | high << 7) >> 1
                at += 2
                value = data[at : at + size]
                at += size
            else:
                value, at = _field(data, at)
            if data[at] == 0:
                at += 1
                headers: tuple[HeaderPair, ...] = ()
            else:
                headers, at = _headers(data, at, end)
            if at != end:
                raise _Malformed
            add((offset, time, key, value, headers))
    except (IndexError, Overlong, _Malformed):
        raise walk.explain(data, start, len(records)) from None
    if end != limit:
        raise walk.left_over()
    return _with_batch_time(header, records)


def _field(data: bytes, position: int) -> tuple[bytes | None, int]:
    size, position = read_int(data, position)
    if size < 0:
        return None, position
    return data[position : position + size], position + size


def _headers(data: bytes, position: int, end: int) -> tuple[tuple[HeaderPair, ...], int]:
    count, position = read_int(data, position)
    if not 0 <= count <= end - position:
        raise _Malformed
    pairs = []
    for _ in range(count):
        key, position = _field(data, position)
        if key is None:
            raise _Malformed
        value, position = _field(data, position)
        pairs.append((key.decode("utf-8", "replace"), value))
    return tuple(pairs), position


def _with_batch_time(header: BatchHeader, records: list[DecodedRecord]) -> list[DecodedRecord]:
    if header.append_time:
        time = header.max_timestamp
        return [(offset, time, key, value, headers) for offset, _, key, value, headers in records]
    if not -_SAFE_TIME <= header.base_timestamp <= _SAFE_TIME:
        return [(offset, wrap_long(time), key, value, headers) for offset, time, key, value, headers in records]
    return records
