"""Records as columns in Arrow's layout, without Arrow.

Made by `decode_columns`, native and twin; `records.arrow` wraps them for pyarrow without copying. All numbers are
little-endian; a bit of a validity map is 1 where there is a value, and the map is absent when nothing is null.
"""

from __future__ import annotations

from typing import NamedTuple

Bytes = bytes | memoryview
"""Bytes that somebody owns and nobody changes."""


class BinaryColumn(NamedTuple):
    """Byte strings end to end: `offsets` are int32 positions, one more than there are strings, in `data`."""

    null_count: int
    validity: Bytes | None
    offsets: Bytes
    data: Bytes


class HeaderColumn(NamedTuple):
    """Each record's headers: record i has the pairs `offsets[i]` to `offsets[i + 1]`; names are UTF-8."""

    offsets: Bytes
    keys: BinaryColumn
    values: BinaryColumn


class Columns(NamedTuple):
    """`rows` records: int64 offsets, int64 timestamps in milliseconds, keys, values, headers."""

    rows: int
    offsets: Bytes
    timestamps: Bytes
    keys: BinaryColumn
    values: BinaryColumn
    headers: HeaderColumn
