"""What a leader checks of the batches that a producer sent.

Called by the twin's front for each produced buffer. It decompresses under a bound and keeps nothing of it.
"""

from __future__ import annotations

from moldau.model import ErrorCode
from moldau.records.errors import InvalidBatch
from moldau.records.headers import HEADER_BYTES, BatchHeader, Buffer
from moldau.records.twin import varint, walk
from moldau.records.twin.batches import check_sum, read_header, whole_batch, write_times
from moldau.records.twin.compression import decompress
from moldau.records.twin.decoding import records_of

_MOST_RECORD_ERRORS = 1000
_LEAST_LONG, _MOST_LONG = -0x8000000000000000, 0x7FFFFFFFFFFFFFFF
_NO_KEY = "a compacted topic takes no record without a key"


def validate(
    buffer: Buffer, *, max_batch_bytes: int, max_decompressed_bytes: int, require_keys: bool = False
) -> list[BatchHeader]:
    """The headers of the batches that make up the buffer; InvalidBatch for the first that a leader must refuse.

    A maximum timestamp that is not the largest of its records is set right, in the buffer and in the header (a
    read-only buffer is refused then): time lookups rely on it.
    """
    headers = []
    view = memoryview(buffer)
    position = 0
    while position < len(view):
        header = _validate_batch(view, position, max_batch_bytes, max_decompressed_bytes, require_keys)
        headers.append(header)
        position += header.size
    if not headers:
        raise InvalidBatch(ErrorCode.INVALID_RECORD, "there is no record batch")
    return headers


def _validate_batch(
    view: memoryview, position: int, max_batch_bytes: int, max_decompressed_bytes: int, require_keys: bool
) -> BatchHeader:
    try:
        size = whole_batch(view, position)
    except InvalidBatch as refused:
        if refused.code is ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT:
            raise InvalidBatch(ErrorCode.INVALID_RECORD, refused.message or "") from None
        raise
    if size is None:
        raise InvalidBatch(ErrorCode.CORRUPT_MESSAGE, f"the batch at byte {position} is cut short")
    if size > max_batch_bytes:
        raise InvalidBatch(
            ErrorCode.MESSAGE_TOO_LARGE, f"the batch at byte {position} has {size} bytes, {max_batch_bytes} are allowed"
        )
    header = read_header(view, position)
    check_sum(view, position, header)
    _check_header(header)
    payload = bytes(view[position + HEADER_BYTES : position + size])
    data = decompress(header.attributes & 7, payload, max_decompressed_bytes)
    max_timestamp = _check_records(data, header, require_keys)
    if max_timestamp == header.max_timestamp:
        return header
    if view.readonly:
        raise InvalidBatch(
            ErrorCode.INVALID_TIMESTAMP,
            f"the maximum timestamp is {header.max_timestamp}, the largest of the records {max_timestamp}",
        )
    crc = write_times(view, position, header, header.attributes, max_timestamp)
    return header._replace(max_timestamp=max_timestamp, crc=crc)


def _check_header(header: BatchHeader) -> None:
    reason = _header_fault(header)
    if reason is not None:
        raise InvalidBatch(ErrorCode.INVALID_RECORD, reason)
    if header.append_time:
        raise InvalidBatch(ErrorCode.INVALID_TIMESTAMP, "a producer must not set the timestamp type to LogAppendTime")


def _header_fault(header: BatchHeader) -> str | None:
    if header.base_offset != 0:
        return f"the base offset is {header.base_offset}, a producer must send 0"
    if header.record_count <= 0:
        return f"the record count is {header.record_count}"
    if header.last_offset_delta != header.record_count - 1:
        return f"the last offset delta is {header.last_offset_delta} for {header.record_count} records"
    if header.is_control:
        return "producers must not write control records"
    if header.producer_id >= 0 and header.base_sequence < 0:
        return f"the base sequence is {header.base_sequence} for producer {header.producer_id}"
    return None


def _check_records(data: bytes, header: BatchHeader, require_keys: bool) -> int:
    """The largest timestamp of the records, each of which is well formed and in its place."""
    try:
        records = records_of(header, data)
    except InvalidBatch:
        return _walk_records(data, header, require_keys)
    in_place = [record[0] for record in records] == list(range(header.record_count))
    if in_place and not (require_keys and any(record[2] is None for record in records)):
        return max(record[1] for record in records)
    return _walk_records(data, header, require_keys)


def _walk_records(data: bytes, header: BatchHeader, require_keys: bool) -> int:
    """The same, one record at a time, so that the first fault is the one that is told."""
    position = 0
    largest = _LEAST_LONG
    base = header.base_timestamp
    keyless: list[tuple[int, str]] = []
    for index in range(header.record_count):
        try:
            delta, offset_delta, keyed, end = _record(data, position)
        except (IndexError, varint.Overlong, _Malformed):
            raise walk.explain(data, position, index) from None
        if offset_delta != index:
            raise walk.malformed(index, f"its offset delta is {offset_delta}")
        timestamp = base + delta
        if not _LEAST_LONG <= timestamp <= _MOST_LONG:
            timestamp = varint.wrap_long(timestamp)
        if timestamp > largest:
            largest = timestamp
        if require_keys and not keyed and len(keyless) < _MOST_RECORD_ERRORS:
            keyless.append((index, _NO_KEY))
        position = end
    if position != len(data):
        raise walk.left_over()
    if keyless:
        raise InvalidBatch(ErrorCode.INVALID_RECORD, _NO_KEY, keyless)
    return largest


class _Malformed(Exception):  # noqa: N818
    """The quick walk tripped."""


def _record(data: bytes, position: int) -> tuple[int, int, bool, int]:
    """Timestamp delta, offset delta, whether there is a key, and the end of the record at `position`.

    Positions only grow, so a field that leaves the record is seen at its end.
    """
    size, position = varint.read_int(data, position)
    end = position + size
    if size < 0 or end > len(data):
        raise _Malformed
    delta, position = varint.read_long(data, position + 1)
    offset_delta, position = varint.read_int(data, position)
    key_size, position = varint.read_int(data, position)
    if key_size > 0:
        position += key_size
    value_size, position = varint.read_int(data, position)
    if value_size > 0:
        position += value_size
    header_count, position = varint.read_int(data, position)
    if header_count != 0:
        if not 0 <= header_count <= end - position:
            raise _Malformed
        position = _skip_headers(data, position, header_count)
    if position != end:
        raise _Malformed
    return delta, offset_delta, key_size >= 0, end


def _skip_headers(data: bytes, position: int, count: int) -> int:
    for _ in range(count):
        size, position = varint.read_int(data, position)
        if size < 0:
            raise _Malformed
        size, position = varint.read_int(data, position + size)
        if size > 0:
            position += size
    return position
