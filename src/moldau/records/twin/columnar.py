"""Batches in, columns out.

Called by the twin's front: the same records as `decode` gives, laid out as Arrow wants them.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import accumulate

from moldau.records.columns import BinaryColumn, Columns, HeaderColumn
from moldau.records.headers import MAX_DECOMPRESSED_BYTES, Buffer
from moldau.records.twin.decoding import decode

_MOST_COLUMN_BYTES = 0x7FFFFFFF


def decode_columns(
    buffer: Buffer, start_offset: int = 0, *, max_decompressed_bytes: int = MAX_DECOMPRESSED_BYTES
) -> Columns:
    """The records from `start_offset` on as columns; errors as `decode`'s, and OverflowError beyond 2 GiB."""
    records = decode(buffer, start_offset, max_decompressed_bytes=max_decompressed_bytes)
    pairs = [pair for record in records for pair in record[4]]
    return Columns(
        len(records),
        _longs([record[0] for record in records]),
        _longs([record[1] for record in records]),
        _binary([record[2] for record in records]),
        _binary([record[3] for record in records]),
        HeaderColumn(
            _positions([len(record[4]) for record in records]),
            _binary([name.encode() for name, _ in pairs]),
            _binary([value for _, value in pairs]),
        ),
    )


def _longs(numbers: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}q", *numbers)


def _positions(sizes: Sequence[int]) -> bytes:
    positions = list(accumulate(sizes, initial=0))
    if positions[-1] > _MOST_COLUMN_BYTES:
        raise OverflowError("a column would pass 2 GiB; decode fewer batches at once")
    return struct.pack(f"<{len(positions)}i", *positions)


def _binary(values: Sequence[bytes | None]) -> BinaryColumn:
    null_count = sum(value is None for value in values)
    offsets = _positions([len(value) if value is not None else 0 for value in values])
    return BinaryColumn(
        null_count, _validity(values) if null_count else None, offsets, b"".join(value or b"" for value in values)
    )


def _validity(values: Sequence[bytes | None]) -> bytes:
    bits = bytearray((len(values) + 7) // 8)
    for index, value in enumerate(values):
        if value is not None:
            bits[index >> 3] |= 1 << (index & 7)
    return bytes(bits)
