"""Columns as a pyarrow record batch, without copying.

Called by the client's batches and by pipelines. The only file here that imports pyarrow, so nothing else needs it.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from moldau.records.columns import BinaryColumn, Columns, HeaderColumn

_HEADER = pa.struct([pa.field("key", pa.string(), nullable=False), pa.field("value", pa.binary())])

SCHEMA = pa.schema(
    [
        pa.field("offset", pa.int64(), nullable=False),
        pa.field("timestamp", pa.timestamp("ms", tz="UTC"), nullable=False),
        pa.field("key", pa.binary()),
        pa.field("value", pa.binary()),
        pa.field("headers", pa.list_(_HEADER), nullable=False),
    ]
)
"""What every batch looks like."""


def to_arrow(columns: Columns) -> Any:
    """The same records as a `pyarrow.RecordBatch` that keeps the columns' memory alive."""
    count = columns.rows
    arrays = [
        _fixed(SCHEMA.field("offset").type, count, columns.offsets),
        _fixed(SCHEMA.field("timestamp").type, count, columns.timestamps),
        _binary(pa.binary(), count, columns.keys),
        _binary(pa.binary(), count, columns.values),
        _headers(count, columns.headers),
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _fixed(kind: Any, count: int, data: Any) -> Any:
    return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(data)])


def _binary(kind: Any, count: int, column: BinaryColumn) -> Any:
    validity = None if column.validity is None else pa.py_buffer(column.validity)
    buffers = [validity, pa.py_buffer(column.offsets), pa.py_buffer(column.data)]
    return pa.Array.from_buffers(kind, count, buffers, null_count=column.null_count)


def _headers(count: int, column: HeaderColumn) -> Any:
    pairs = len(column.keys.offsets) // 4 - 1
    children = [_binary(pa.string(), pairs, column.keys), _binary(pa.binary(), pairs, column.values)]
    structs = pa.Array.from_buffers(_HEADER, pairs, [None], children=children)
    return pa.Array.from_buffers(pa.list_(_HEADER), count, [None, pa.py_buffer(column.offsets)], children=[structs])
