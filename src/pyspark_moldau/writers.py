"""The batch writer and the stream writer of `format("moldau")`: each row becomes a record.

A task succeeds only after the broker has acknowledged all of its records (I1). Spark repeats tasks and micro-batches
that failed, so a record may be written twice, never not at all: at least once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.types import BinaryType, DataType, IntegerType, StringType, StructType, TimestampType

from pyspark_moldau.connections import connect, forget
from pyspark_moldau.options import OptionError, Options
from pyspark_moldau.schema import SPARK_HEADERS

KINDS: dict[str, tuple[type[DataType], ...]] = {
    "key": (BinaryType, StringType),
    "value": (BinaryType, StringType),
    "topic": (StringType,),
    "partition": (IntegerType,),
    "timestamp": (TimestampType,),
}
HEADERS_TYPE = SPARK_HEADERS.simpleString()
LINGER_S = 0.02
BATCH_BYTES = 256 * 1024


class Written(WriterCommitMessage):
    """How many records one task wrote."""

    def __init__(self, records: int) -> None:
        self.records = records


@dataclass(frozen=True, slots=True)
class Columns:
    """Which of the columns that a record can have are there."""

    names: tuple[str, ...]

    def __contains__(self, name: str) -> bool:
        return name in self.names


def columns_of(schema: StructType, options: Options, overwrite: bool) -> Columns:
    """The columns of what is written, once it is certain that records can be made of them."""
    if overwrite:
        raise OptionError("a topic cannot be overwritten, only appended to: use mode('append')")
    for field in schema.fields:
        _check(field.name, field.dataType)
    names = tuple(schema.fieldNames())
    if "value" not in names:
        raise OptionError(
            "a column 'value' (string or binary) is missing; make one, for example with to_json(struct('*'))"
        )
    if "topic" not in names and options.topic is None:
        raise OptionError("nowhere to write: give option 'topic' or a column 'topic'")
    return Columns(names)


def _check(name: str, kind: DataType) -> None:
    if name == "headers":
        if kind.simpleString() != HEADERS_TYPE:
            raise OptionError(f"column 'headers' is {kind.simpleString()}; it has to be {HEADERS_TYPE}")
        return
    if name not in KINDS:
        raise OptionError(f"no record has a column '{name}'; there are {', '.join([*KINDS, 'headers'])}: select these")
    if not isinstance(kind, KINDS[name]):
        wanted = " or ".join(allowed().simpleString() for allowed in KINDS[name])
        raise OptionError(f"column '{name}' is {kind.simpleString()}; it has to be {wanted}")


class BatchWriter(DataSourceArrowWriter):
    """Appends the rows of one query."""

    def __init__(self, options: Options, columns: Columns) -> None:
        self._options = options
        self._columns = columns

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        return _write(iterator, self._options, self._columns)


class StreamWriter(DataSourceStreamArrowWriter):
    """Appends the rows of each micro-batch."""

    def __init__(self, options: Options, columns: Columns) -> None:
        self._options = options
        self._columns = columns

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        return _write(iterator, self._options, self._columns)

    def commit(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 - Spark's name
        """Nothing to do: what the tasks wrote is readable."""

    def abort(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Nothing to undo: Spark will write the micro-batch again."""


def _write(batches: Iterator[pa.RecordBatch], options: Options, columns: Columns) -> Written:
    count = 0
    try:
        with connect(options.bootstrap).producer(
            acks="all", idempotent=True, linger=LINGER_S, batch_bytes=BATCH_BYTES, compression=options.compression
        ) as out:
            for batch in batches:
                _send(out, batch, options, columns)
                count += batch.num_rows
            out.flush()  # I1
    except BaseException:
        forget(options.bootstrap)
        raise
    return Written(count)


def _send(out: Any, batch: pa.RecordBatch, options: Options, columns: Columns) -> None:
    values = _bytes(batch.column("value"))
    if columns.names == ("value",):
        out.send_many(options.topic, values)
        return
    rows = batch.num_rows

    def column(name: str, absent: object) -> Sequence[Any]:
        return batch.column(name).to_pylist() if name in columns else [absent] * rows

    topics = column("topic", options.topic)
    keys = _bytes(batch.column("key")) if "key" in columns else [None] * rows
    partitions = column("partition", None)
    headers = column("headers", None)
    times = _milliseconds(batch.column("timestamp")) if "timestamp" in columns else [None] * rows
    for value, topic, key, partition, named, time in zip(values, topics, keys, partitions, headers, times, strict=True):
        if topic is None:
            raise OptionError("a row has NULL in column 'topic'")
        pairs = tuple((header["key"], header["value"]) for header in named or ())
        out.send(topic, value, key=key, headers=pairs, partition=partition, timestamp_ms=time)


def _bytes(column: pa.Array) -> list[bytes | None]:
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = column.cast(pa.large_binary() if pa.types.is_large_string(column.type) else pa.binary())
    pieces: list[bytes | None] = column.to_pylist()
    return pieces


def _milliseconds(column: pa.Array) -> list[int | None]:
    times: list[int | None] = column.cast(pa.timestamp("ms", tz="UTC"), safe=False).cast(pa.int64()).to_pylist()
    return times
