"""A client and its cluster in memory: the verbs of the real one that Spark's readers and writers use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import pyarrow as pa  # type: ignore[import-untyped]

MOMENT_MS = 1_700_000_000_123


class ClusterTwin:
    """Topics as lists of values; `first` holds where a partition begins after deletions."""

    def __init__(self, topics: Mapping[str, Sequence[Sequence[bytes]]]) -> None:
        self.topics = {name: [list(partition) for partition in partitions] for name, partitions in topics.items()}
        self.first: dict[tuple[str, int], int] = {}
        self.written: list[dict[str, Any]] = []
        self.flushed = 0
        self.failing: Exception | None = None

    def list_offsets(self, topic: str, at: str) -> dict[int, int]:
        partitions = self.topics[topic]
        if at == "earliest":
            return {index: self.first.get((topic, index), 0) for index in range(len(partitions))}
        return {index: len(partition) for index, partition in enumerate(partitions)}

    def consumer(self, topic: str, **options: Any) -> ConsumerTwin:
        return ConsumerTwin(self, topic, options)

    def producer(self, **_: Any) -> ProducerTwin:
        return ProducerTwin(self)


class ConsumerTwin:
    def __init__(self, cluster: ClusterTwin, topic: str, options: dict[str, Any]) -> None:
        self._cluster = cluster
        self._topic = topic
        self._options = options

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def batches(self, max_records: int) -> Iterator[BatchTwin]:
        for partition in self._options["partitions"]:
            position, stop = self._options["start"][partition], self._options["stop"][partition]
            assert position >= self._cluster.first.get((self._topic, partition), 0)
            while position < stop:
                count = min(max_records, stop - position)
                values = self._cluster.topics[self._topic][partition][position : position + count]
                assert len(values) == count
                yield BatchTwin(self._topic, partition, position, values)
                position += count


class BatchTwin:
    def __init__(self, topic: str, partition: int, offset: int, values: list[bytes]) -> None:
        self._columns = (topic, partition, offset, values)

    def to_arrow(self) -> pa.RecordBatch:
        topic, partition, offset, values = self._columns
        count = len(values)
        headers = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
        return pa.RecordBatch.from_pydict(
            {
                "topic": [topic] * count,
                "partition": pa.array([partition] * count, pa.int32()),
                "offset": pa.array(range(offset, offset + count), pa.int64()),
                "timestamp": pa.array([MOMENT_MS] * count, pa.timestamp("ms", tz="UTC")),
                "key": pa.array([None] * count, pa.binary()),
                "value": pa.array(values, pa.binary()),
                "headers": pa.array([None] * count, headers),
            }
        )


class ProducerTwin:
    def __init__(self, cluster: ClusterTwin) -> None:
        self._cluster = cluster

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def send(self, topic: str, value: bytes | None, **rest: Any) -> None:
        if self._cluster.failing is not None:
            raise self._cluster.failing
        self._cluster.written.append({"topic": topic, "value": value, **rest})

    def send_many(self, topic: str, values: Sequence[bytes | None]) -> None:
        for value in values:
            self.send(topic, value)

    def flush(self) -> None:
        self._cluster.flushed += 1
