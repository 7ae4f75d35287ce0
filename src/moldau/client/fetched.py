"""What a consumer hands out: records, and batches of them that are not decoded before somebody looks.

Batches come from the fetch positions; users turn them into records or Arrow. Nothing here waits.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from datetime import UTC, datetime
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import msgspec

from moldau.client.errors import CorruptRecords
from moldau.environment.doors import Buffer
from moldau.model import TopicPartition
from moldau.records import DecodedRecord, InvalidBatch, decode, decode_columns

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]

_offset_of = itemgetter(0)


class ConsumedRecord(msgspec.Struct, frozen=True, gc=False):
    """One record as it stands in the log."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]

    @property
    def datetime(self) -> datetime:
        """The timestamp as a time in UTC."""
        return datetime.fromtimestamp(self.timestamp_ms / 1000, UTC)

    @property
    def topic_partition(self) -> TopicPartition:
        """Where the record stands."""
        return TopicPartition(self.topic, self.partition)


class FetchedBatch:
    """Consecutive records of one partition, from `start_offset` up to but without `next_offset`."""

    __slots__ = ("_parts", "next_offset", "partition", "start_offset", "topic")

    def __init__(
        self, topic: str, partition: int, parts: Sequence[Buffer], start_offset: int, next_offset: int
    ) -> None:
        self.topic = topic
        self.partition = partition
        self.start_offset = start_offset
        self.next_offset = next_offset
        self._parts = parts

    def records(self) -> list[ConsumedRecord]:
        """All records, in order."""
        topic, partition = self.topic, self.partition
        return [
            ConsumedRecord(topic, partition, offset, timestamp_ms, key, value, headers)
            for offset, timestamp_ms, key, value, headers in self.rows()
        ]

    def values(self) -> list[bytes | None]:
        """The values alone."""
        return [row[3] for row in self.rows()]

    def rows(self) -> list[DecodedRecord]:
        """All records as tuples (offset, timestamp_ms, key, value, headers): the cheapest form in Python."""
        rows: list[DecodedRecord] = []
        try:
            for part in self._parts:
                rows += decode(part, self.start_offset)
        except InvalidBatch as broken:
            raise self._corrupt(broken) from broken
        if rows and rows[-1][0] >= self.next_offset:
            del rows[bisect_left(rows, self.next_offset, key=_offset_of) :]
        return rows

    def to_arrow(self) -> pyarrow.RecordBatch:
        """The records as columns: topic, partition, offset, timestamp, key, value, headers. Needs pyarrow."""
        from moldau.client.arrow import record_batch

        try:
            columns = [decode_columns(part, self.start_offset) for part in self._parts]
        except InvalidBatch as broken:
            raise self._corrupt(broken) from broken
        return record_batch(self.topic, self.partition, columns, self.next_offset)

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """What polars, pyarrow, duckdb and others take a table from."""
        exported: tuple[Any, Any] = self.to_arrow().__arrow_c_array__(requested_schema)
        return exported

    def __repr__(self) -> str:
        return f"FetchedBatch({self.topic}-{self.partition}, {self.start_offset}..{self.next_offset})"

    def _corrupt(self, broken: Exception) -> CorruptRecords:
        return CorruptRecords(
            f"{self.topic}-{self.partition} at offset {self.start_offset} cannot be decoded: {broken}; "
            f"seek to {self.next_offset} to go on behind it"
        )
