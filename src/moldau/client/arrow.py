"""Fetched records as one pyarrow record batch.

Only `FetchedBatch.to_arrow` imports this, so nothing else needs pyarrow.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from moldau.records import Columns
from moldau.records.arrow import SCHEMA as RECORD_SCHEMA
from moldau.records.arrow import to_arrow

SCHEMA = pa.schema(
    [
        pa.field("topic", pa.string(), nullable=False),
        pa.field("partition", pa.int32(), nullable=False),
        *RECORD_SCHEMA,
    ]
)
"""What every batch looks like."""


def record_batch(topic: str, partition: int, columns: Sequence[Columns], next_offset: int) -> Any:
    """All the columns end to end, without what stands at `next_offset` or behind it."""
    pieces = [_before(to_arrow(part), part, next_offset) for part in columns if part.rows]
    if len(pieces) == 1:
        piece = pieces[0]
    elif pieces:
        piece = pa.concat_batches(pieces)
    else:
        piece = pa.RecordBatch.from_pylist([], schema=RECORD_SCHEMA)
    rows = piece.num_rows
    names = pa.repeat(pa.scalar(topic, pa.string()), rows)
    numbers = pa.repeat(pa.scalar(partition, pa.int32()), rows)
    return pa.RecordBatch.from_arrays([names, numbers, *piece.columns], schema=SCHEMA)


def _before(batch: Any, columns: Columns, next_offset: int) -> Any:
    offsets = memoryview(columns.offsets).cast("B").cast("q")
    if offsets[-1] < next_offset:
        return batch
    return batch.slice(0, bisect_left(offsets, next_offset))
