"""The batch reader and the stream reader of `format("moldau")`.

Spark makes them in planning processes, asks them for offsets and tasks there, and sends copies to its workers to read:
they hold options and offsets, never a connection.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from pyspark_moldau import cluster, fetch
from pyspark_moldau.fetch import RecordsLostError
from pyspark_moldau.options import Options
from pyspark_moldau.ranges import JsonOffsets, Offsets, Range, between, from_json, limited, tasks, to_json


class Task(InputPartition):
    """What one Spark task reads."""

    def __init__(self, ranges: list[Range]) -> None:
        super().__init__(tuple(tuple(piece) for piece in ranges))

    def ranges(self) -> list[Range]:
        return [Range(*piece) for piece in self.value]


class BatchReader(DataSourceReader):
    """Reads once from the starting to the ending offsets, as they are when the query is planned."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def partitions(self) -> Sequence[InputPartition]:
        options = self._options
        start = cluster.wanted(options, "startingOffsets", options.starting or "earliest")
        end = cluster.wanted(options, "endingOffsets", options.ending or "latest")
        # Spark makes one partition with the value None out of no partition at all.
        return [Task(ranges) for ranges in tasks(between(start, end), options.min_partitions)] or [Task([])]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Task)
        return fetch.read(partition.ranges(), self._options)


class StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads from the starting offsets on, a bounded piece for each micro-batch."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._last: JsonOffsets | None = None

    def initialOffset(self) -> JsonOffsets:  # noqa: N802 - Spark's name
        return to_json(cluster.wanted(self._options, "startingOffsets", self._options.starting or "latest"))

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        most = self._options.max_offsets
        return ReadAllAvailable() if most is None else ReadMaxRows(most)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        self._last = to_json(cluster.offsets_at(self._options, "latest"))

    def latestOffset(self, start: JsonOffsets, limit: ReadLimit) -> JsonOffsets:  # noqa: N802
        begin = from_json(start)
        latest = from_json(self._last) if self._last is not None else cluster.offsets_at(self._options, "latest")
        latest = self._never_back(begin, latest)
        if isinstance(limit, ReadMaxRows):
            latest = limited(begin, latest, limit.max_rows)
        return to_json(latest)

    def reportLatestOffset(self) -> JsonOffsets:  # noqa: N802
        """What the topic holds, whatever has been read of it: Spark's progress reports show the lag with it."""
        return to_json(cluster.offsets_at(self._options, "latest"))

    def partitions(self, start: JsonOffsets, end: JsonOffsets) -> Sequence[InputPartition]:
        ranges = between(from_json(start), from_json(end))
        return [Task(task) for task in tasks(ranges, self._options.min_partitions)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Task)
        return fetch.read(partition.ranges(), self._options)

    def _never_back(self, start: Offsets, latest: Offsets) -> Offsets:
        """The ends to read up to; a partition that is gone or shorter than what was read is data loss."""
        for (topic, partition), offset in sorted(start.items()):
            now = latest.get((topic, partition))
            if now is None or now < offset:
                if self._options.fail_on_data_loss:
                    held = "is not there any more" if now is None else f"ends at offset {now}"
                    raise RecordsLostError(
                        f"{topic}-{partition} was read up to offset {offset} and now {held}: it was deleted or made "
                        "anew. Set failOnDataLoss to false to go on, or delete the checkpoint to start anew"
                    )
                latest = {**latest, (topic, partition): offset}
        return latest
