"""The columns of a record: as Spark names them, as Arrow lays them out, and the way from the client's to Spark's.

Used by the readers in Spark's Python workers, so it is on the path of every record: whole columns only, no loop.
"""

from __future__ import annotations

from functools import lru_cache

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    IntegerType,
    LongType,
    StringType,
    StructType,
    TimestampType,
)

SPARK_HEADERS = ArrayType(StructType().add("key", StringType()).add("value", BinaryType()))
SPARK_COLUMNS = (
    ("key", BinaryType()),
    ("value", BinaryType()),
    ("topic", StringType()),
    ("partition", IntegerType()),
    ("offset", LongType()),
    ("timestamp", TimestampType()),
    ("timestampType", IntegerType()),
)
"""Spark's own Kafka source has the same columns, and the headers only when they are asked for."""

HEADERS = pa.list_(pa.field("element", pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())])))
COLUMNS = (
    ("key", pa.binary()),
    ("value", pa.binary()),
    ("topic", pa.string()),
    ("partition", pa.int32()),
    ("offset", pa.int64()),
    ("timestamp", pa.timestamp("us", tz="UTC")),
    ("timestampType", pa.int32()),
)
CREATE_TIME = 0


def spark_schema(include_headers: bool) -> StructType:
    """The schema of `format("moldau")`."""
    schema = StructType()
    for name, kind in (*SPARK_COLUMNS, ("headers", SPARK_HEADERS)) if include_headers else SPARK_COLUMNS:
        schema.add(name, kind)
    return schema


@lru_cache(maxsize=2)
def arrow_schema(include_headers: bool) -> pa.Schema:
    """The same schema as Arrow's, to the letter: Spark refuses a batch that differs in one name."""
    return pa.schema([*COLUMNS, ("headers", HEADERS)] if include_headers else list(COLUMNS))


def spark_batch(records: pa.RecordBatch, include_headers: bool) -> pa.RecordBatch:
    """Records as the client decodes them, in Spark's columns."""
    schema = arrow_schema(include_headers)
    columns = []
    for field in schema:
        if field.name == "timestampType" and field.name not in records.schema.names:
            columns.append(pa.repeat(pa.scalar(CREATE_TIME, pa.int32()), records.num_rows))
            continue
        column = records.column(field.name)
        if field.name == "headers" and column.null_count:
            import pyarrow.compute as pc  # type: ignore[import-untyped]

            # A NULL array makes Spark's way from Java to Python slower by a factor of ten and more.
            column = pc.coalesce(column, pa.scalar([], column.type))
        columns.append(column if column.type == field.type else column.cast(field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)
