"""Finding batches in a buffer, reading and stamping their headers, checking their sums.

Called by the twin's validation and decoding, and by whoever stores batches.
"""

from __future__ import annotations

import struct

import crc32c as _wheel

from moldau.model import ErrorCode
from moldau.records.errors import InvalidBatch
from moldau.records.headers import APPEND_TIME_BIT, HEADER_BYTES, LENGTH_OVERHEAD, BatchHeader, Buffer

HEADER = struct.Struct(">qiibIhiqqqhii")
_LENGTH_AT = 8
_EPOCH_AT = 12
_MAGIC_AT = 16
_CRC_AT = 17
_ATTRIBUTES_AT = 21
_MAX_TIMESTAMP_AT = 35
_SMALLEST_ANY_MAGIC = 14


def crc32c(buffer: Buffer) -> int:
    """The Castagnoli sum of all bytes."""
    return _wheel.crc32c(buffer)


def read_header(buffer: Buffer, position: int = 0) -> BatchHeader:
    """The header at `position`, unchecked; InvalidBatch when fewer than 61 bytes are there."""
    if position < 0 or len(buffer) - position < HEADER_BYTES:
        raise InvalidBatch(ErrorCode.CORRUPT_MESSAGE, f"no whole batch header at byte {position}")
    return BatchHeader._make(HEADER.unpack_from(buffer, position))


def read_headers(buffer: Buffer) -> list[BatchHeader]:
    """The headers of the whole batches; a batch cut short at the end is left out, a malformed one refused."""
    headers = []
    position = 0
    while (size := whole_batch(buffer, position)) is not None:
        headers.append(read_header(buffer, position))
        position += size
    return headers


def verified_headers(buffer: Buffer) -> list[BatchHeader]:
    """The headers of the batches at the front that are whole, of magic 2, and true to their sum; the rest is not
    looked at. The sizes add up to how much of the buffer can be trusted."""
    headers: list[BatchHeader] = []
    view = memoryview(buffer)
    position = 0
    while len(view) - position >= HEADER_BYTES:
        header = read_header(view, position)
        end = position + header.size
        if header.size < HEADER_BYTES or end > len(view) or header.magic != 2:
            break
        if header.crc != crc32c(view[position + _ATTRIBUTES_AT : end]):
            break
        headers.append(header)
        position = end
    return headers


def whole_batch(buffer: Buffer, position: int) -> int | None:
    """The size of the batch at `position`, or None when it is not all there."""
    left = len(buffer) - position
    if left < LENGTH_OVERHEAD:
        return None
    length = int.from_bytes(buffer[position + _LENGTH_AT : position + _EPOCH_AT], "big", signed=True)
    if length < _SMALLEST_ANY_MAGIC:
        raise InvalidBatch(ErrorCode.CORRUPT_MESSAGE, f"the batch at byte {position} claims a length of {length}")
    size = length + LENGTH_OVERHEAD
    if left < size:
        return None
    magic = buffer[position + _MAGIC_AT]
    if magic < 2:
        raise InvalidBatch(
            ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, f"the batch at byte {position} has magic {magic}; only 2 is known"
        )
    if magic > 2:
        raise InvalidBatch(ErrorCode.CORRUPT_MESSAGE, f"the batch at byte {position} has magic {magic}")
    if size < HEADER_BYTES:
        raise InvalidBatch(ErrorCode.CORRUPT_MESSAGE, f"the batch at byte {position} claims a length of {length}")
    return size


def check_sum(view: memoryview, position: int, header: BatchHeader) -> None:
    """InvalidBatch unless the stored sum is that of the bytes."""
    actual = crc32c(view[position + _ATTRIBUTES_AT : position + header.size])
    if actual != header.crc:
        raise InvalidBatch(
            ErrorCode.CORRUPT_MESSAGE,
            f"the batch at byte {position} has CRC {header.crc:08x}, its bytes make {actual:08x}",
        )


def stamp(buffer: bytearray | memoryview, position: int, base_offset: int, leader_epoch: int) -> None:
    """Write where the batch stands and who led; neither is under the CRC."""
    _require_batch(buffer, position)
    struct.pack_into(">q", buffer, position, base_offset)
    struct.pack_into(">i", buffer, position + _EPOCH_AT, leader_epoch)


def stamp_append_time(buffer: bytearray | memoryview, position: int, timestamp: int) -> None:
    """Make the broker's time that of every record: maximum timestamp, attribute, CRC."""
    header = _require_batch(buffer, position)
    write_times(buffer, position, header, header.attributes | APPEND_TIME_BIT, timestamp)


def write_times(
    buffer: bytearray | memoryview, position: int, header: BatchHeader, attributes: int, max_timestamp: int
) -> int:
    """Write attributes and maximum timestamp and the CRC that follows from them, which is returned."""
    struct.pack_into(">h", buffer, position + _ATTRIBUTES_AT, attributes)
    struct.pack_into(">q", buffer, position + _MAX_TIMESTAMP_AT, max_timestamp)
    crc = crc32c(memoryview(buffer)[position + _ATTRIBUTES_AT : position + header.size])
    struct.pack_into(">I", buffer, position + _CRC_AT, crc)
    return crc


def _require_batch(buffer: bytearray | memoryview, position: int) -> BatchHeader:
    header = read_header(buffer, position)
    if header.size < HEADER_BYTES or header.size > len(buffer) - position:
        raise InvalidBatch(ErrorCode.CORRUPT_MESSAGE, f"no whole batch at byte {position}")
    return header
