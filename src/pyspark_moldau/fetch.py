"""Reads ranges of records as Arrow batches: what one Spark task does.

Called by both readers, in Spark's Python workers. Never skips a record silently: what was deleted before it was read
is an error, unless the user said to go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]

from pyspark_moldau.connections import connect, forget
from pyspark_moldau.options import Options
from pyspark_moldau.ranges import DataLoss, Range
from pyspark_moldau.schema import spark_batch

if TYPE_CHECKING:
    from moldau.client import Client

BATCH_ROWS = 50_000
"""Most records of one Arrow batch: enough to make its overhead small, few enough for a worker's memory."""

FETCH_BYTES = 32 * 1024 * 1024
PARTITION_BYTES = 8 * 1024 * 1024


class RecordsLostError(RuntimeError):
    """Records are gone before they were read; the message says which and what to do."""


def read(ranges: list[Range], options: Options) -> Iterator[pa.RecordBatch]:
    """All records of the ranges, each range in order."""
    try:
        kafka = connect(options.bootstrap)
        for topic, of_topic in groupby(sorted(ranges), key=lambda piece: piece.topic):
            yield from _read_topic(kafka, topic, _there(kafka, topic, list(of_topic), options), options)
    except GeneratorExit:
        raise
    except BaseException:
        forget(options.bootstrap)
        raise


def _read_topic(kafka: Client, topic: str, ranges: list[Range], options: Options) -> Iterator[pa.RecordBatch]:
    if not ranges:
        return
    with kafka.consumer(
        topic,
        partitions=[piece.partition for piece in ranges],
        start={piece.partition: piece.start for piece in ranges},
        stop={piece.partition: piece.end for piece in ranges},
        out_of_range="raise" if options.fail_on_data_loss else "earliest",
        fetch_bytes=FETCH_BYTES,
        partition_bytes=PARTITION_BYTES,
    ) as records:
        for batch in records.batches(max_records=BATCH_ROWS):
            yield spark_batch(batch.to_arrow(), options.include_headers)


def _there(kafka: Client, topic: str, ranges: list[Range], options: Options) -> list[Range]:
    """The ranges as far as the partitions hold them now."""
    earliest = kafka.list_offsets(topic, "earliest")
    latest = kafka.list_offsets(topic, "latest")
    found = []
    for piece in ranges:
        loss = _loss(piece, earliest.get(piece.partition), latest.get(piece.partition))
        if loss is not None and options.fail_on_data_loss:
            raise RecordsLostError(str(loss))
        first = max(piece.start, earliest.get(piece.partition, piece.end))
        last = min(piece.end, latest.get(piece.partition, first))
        if first < last:
            found.append(piece._replace(start=first, end=last))
    return found


def _loss(piece: Range, earliest: int | None, latest: int | None) -> DataLoss | None:
    if earliest is None or latest is None:
        return DataLoss(piece.topic, piece.partition, piece.start, "the partition is not there any more")
    if earliest > piece.start:
        return DataLoss(piece.topic, piece.partition, piece.start, f"the partition now begins at offset {earliest}")
    if latest < piece.end:
        return DataLoss(
            piece.topic, piece.partition, latest, f"the partition now ends at offset {latest}, before {piece.end}"
        )
    return None
