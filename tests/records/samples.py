"""Batches to test with, and the means to spoil them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from crc32c import crc32c
from hypothesis import strategies as st

from moldau.records import Codec, InvalidBatch, Record

CODECS = list(Codec)
FOLDING = [codec for codec in Codec if codec is not Codec.NONE]
NOW = 1_700_000_000_000
ROOM = {"max_batch_bytes": 1 << 20, "max_decompressed_bytes": 1 << 24}

RECORDS: list[Record] = [
    (NOW, b"key", b"value", ()),
    (NOW + 1, None, b"", (("trace", b"\x00\x01"), ("none", None), ("größe", b""))),
    (NOW - 70_000, b"", None, ()),
    (NOW + 3_000_000_000, b"k" * 200, b"v" * 20_000, (("again", b"1"), ("again", b"2"))),
]


def decoded(records: Sequence[Record], first: int = 0) -> list[tuple[Any, ...]]:
    """What decoding gives for records that stood at `first` and on."""
    return [(first + index, *record[:3], tuple(record[3])) for index, record in enumerate(records)]


def sealed(batch: bytes | bytearray) -> bytearray:
    """The batch with a length and a sum that fit its bytes."""
    out = bytearray(batch)
    struct.pack_into(">i", out, 8, len(out) - 12)
    struct.pack_into(">I", out, 17, crc32c(bytes(out[21:])))
    return out


def with_field(batch: bytes | bytearray, form: str, at: int, value: int) -> bytearray:
    """The batch with one header field changed, and true to its sum."""
    out = bytearray(batch)
    struct.pack_into(">" + form, out, at, value)
    return sealed(out)


def with_payload(batch: bytes | bytearray, payload: bytes, codec: int = 0) -> bytearray:
    """The batch with other bytes for its records, and true to its sum."""
    return with_field(batch[:61] + payload, "h", 21, codec)


Work = Callable[..., Any]


def verdict(work: Work, *arguments: Any) -> Any:
    """What comes of it: the result, or all that a refusal says."""
    try:
        return work(*arguments)
    except InvalidBatch as refused:
        return refused.code, refused.message, refused.record_errors


def flat(columns: Any) -> Any:
    """Columns as plain bytes, to be compared."""
    if isinstance(columns, tuple):
        return tuple(flat(part) for part in columns)
    return bytes(columns) if isinstance(columns, memoryview) else columns


_bytes = st.none() | st.binary(max_size=40) | st.integers(60, 9000).map(bytes)
_times = st.integers(NOW - 100, NOW + 100) | st.integers(-(1 << 63), (1 << 63) - 1)
records = st.lists(
    st.tuples(
        _times, _bytes, _bytes, st.lists(st.tuples(st.text(max_size=5), st.none() | st.binary(max_size=9)), max_size=3)
    ),
    min_size=1,
    max_size=8,
)
covers = st.fixed_dictionaries(
    {},
    optional={
        "base_offset": st.integers(0, 1 << 62),
        "leader_epoch": st.integers(-1, 1 << 30),
        "producer_id": st.integers(-1, 1 << 62),
        "producer_epoch": st.integers(-1, 32767),
        "base_sequence": st.integers(-1, (1 << 31) - 1),
        "transactional": st.booleans(),
        "control": st.booleans(),
    },
)
