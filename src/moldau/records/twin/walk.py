"""The precise walk over one record, taken only to say what is wrong with it.

Called by the twin's validation and decoding when their quick walks trip. The order of the checks is the order of
the native walk, so both give the same reason.
"""

from __future__ import annotations

from moldau.model import ErrorCode
from moldau.records.errors import InvalidBatch
from moldau.records.twin import varint

LENGTH_BROKEN = "its length is not a number"
LONGER_THAN_BATCH = "it is longer than the bytes left"
FIELDS_BEYOND = "its fields do not fill its length exactly"
OVERLONG = "one of its numbers has too many bytes"
HEADER_COUNT = "its header count cannot be"
HEADER_KEY = "one of its headers has no key"
LEFT_OVER = "bytes remain after the last record"


def malformed(index: int, reason: str) -> InvalidBatch:
    """The refusal of a batch for one of its records."""
    return InvalidBatch(ErrorCode.INVALID_RECORD, f"record {index}: {reason}", [(index, reason)])


def left_over() -> InvalidBatch:
    """The refusal of a batch that goes on after its records."""
    return InvalidBatch(ErrorCode.INVALID_RECORD, LEFT_OVER)


def explain(data: bytes, position: int, index: int) -> InvalidBatch:
    """Why the record at `position` cannot be read (it cannot)."""
    try:
        size, start = varint.read_int(data, position)
    except (IndexError, varint.Overlong):
        return malformed(index, LENGTH_BROKEN)
    if size < 0 or size > len(data) - start:
        return malformed(index, LONGER_THAN_BATCH)
    return malformed(index, _reason(data[start : start + size]))


def _reason(body: bytes) -> str:
    try:
        position = 1
        _, position = varint.read_long(body, position)
        _, position = varint.read_int(body, position)
        position = _skip(body, _skip(body, position))
        count, position = varint.read_int(body, position)
        if not 0 <= count <= len(body) - position:
            return HEADER_COUNT
        for _ in range(count):
            size, position = varint.read_int(body, position)
            if size < 0:
                return HEADER_KEY
            position = _skip(body, _bounded(body, position + size))
    except varint.Overlong:
        return OVERLONG
    except IndexError:
        pass
    return FIELDS_BEYOND


def _skip(body: bytes, position: int) -> int:
    size, position = varint.read_int(body, position)
    return _bounded(body, position + max(size, 0))


def _bounded(body: bytes, position: int) -> int:
    if position > len(body):
        raise IndexError
    return position
