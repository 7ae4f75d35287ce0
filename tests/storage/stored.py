"""Batches to store, and what a log gives back, for the tests of this room."""

from __future__ import annotations

from collections.abc import Sequence

from moldau import records
from moldau.environment import FileSlice
from moldau.storage import Log, LogSettings

TINY = LogSettings(segment_bytes=600, index_interval_bytes=150, segment_index_bytes=4096)
"""A few batches fill a segment, a few segments a test."""


def batch(offset: int, *values: bytes, epoch: int = 0, timestamp: int = 1000, **fields: int) -> bytes:
    """A batch as it is stored."""
    return records.build(
        [(timestamp + place, None, value, ()) for place, value in enumerate(values or (b"value-%06d" % offset,))],
        base_offset=offset,
        leader_epoch=epoch,
        producer_id=fields.get("producer_id", -1),
        producer_epoch=fields.get("producer_epoch", -1),
        base_sequence=fields.get("base_sequence", -1),
    )


def append(log: Log, *values: bytes, epoch: int = 0, timestamp: int | None = None, **fields: int) -> bytes:
    """One batch at the end of a log; younger with every offset unless told."""
    stamp = 1000 + log.end_offset if timestamp is None else timestamp
    data = batch(log.end_offset, *values, epoch=epoch, timestamp=stamp, **fields)
    log.append(memoryview(bytearray(data)), records.read_headers(data))
    return data


def fill(log: Log, batches: int, *, epoch: int = 0) -> list[bytes]:
    """That many batches of one to three records."""
    return [
        append(log, *(b"v%d" % place * 5 for place in range(1 + log.end_offset % 3)), epoch=epoch)
        for _ in range(batches)
    ]


def joined(slices: Sequence[FileSlice]) -> bytes:
    """The bytes of a read; the slices are released."""
    data = b"".join(piece.read() for piece in slices)
    for piece in slices:
        piece.release()
    return data


def everything(log: Log) -> bytes:
    return joined(log.read(log.start_offset, log.end_offset, 1 << 30))


def values(log: Log, offset: int = 0) -> list[tuple[int, bytes | None]]:
    """Offset and value of every record from one on."""
    found = records.decode(joined(log.read(offset, log.end_offset, 1 << 30)), offset)
    return [(record[0], record[3]) for record in found]
