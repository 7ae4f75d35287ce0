"""The accumulator for two threads: the one that sends records and the one whose loop empties it.

The synchronous client uses it. Every call is one short critical section; none of them waits inside.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, TypeVar

from moldau.client.accumulator import Accumulator
from moldau.client.errors import MoldauError
from moldau.client.outgoing import Headers, OutgoingBatch
from moldau.client.partition_queue import PartitionQueue

D = TypeVar("D")


class SharedAccumulator(Accumulator[D]):
    """`Accumulator` with a lock around each method."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._lock = threading.Lock()

    def append(
        self,
        topic: str,
        value: bytes | None,
        key: bytes | None,
        headers: Headers,
        partition: int | None,
        timestamp_ms: int,
    ) -> D | None:
        with self._lock:
            return super().append(topic, value, key, headers, partition, timestamp_ms)

    def append_values(
        self, topic: str, values: Sequence[bytes | None], start: int, partition: int | None, timestamp_ms: int
    ) -> OutgoingBatch | None:
        with self._lock:
            return super().append_values(topic, values, start, partition, timestamp_ms)

    def learn(self, topic: str, leaders: Sequence[int]) -> None:
        with self._lock:
            super().learn(topic, leaders)

    def forget_leader(self, topic: str, partition: int) -> None:
        with self._lock:
            super().forget_leader(topic, partition)

    def identify(self, producer_id: int, epoch: int) -> None:
        with self._lock:
            super().identify(producer_id, epoch)

    def tick(self, now_ms: int) -> None:
        with self._lock:
            super().tick(now_ms)

    def hasten(self, batch: OutgoingBatch) -> bool:
        with self._lock:
            return super().hasten(batch)

    def close_all(self) -> None:
        with self._lock:
            super().close_all()

    def ready(self, now_ms: int) -> dict[int, list[PartitionQueue]]:
        with self._lock:
            return super().ready(now_ms)

    def take(self, queues: list[PartitionQueue], now_ms: int) -> list[OutgoingBatch]:
        with self._lock:
            return super().take(queues, now_ms)

    def written(self, batch: OutgoingBatch, base_offset: int, append_time_ms: int) -> None:
        with self._lock:
            super().written(batch, base_offset, append_time_ms)

    def refused(self, batch: OutgoingBatch, failure: MoldauError, now_ms: int) -> None:
        with self._lock:
            super().refused(batch, failure, now_ms)

    def unsettled(self) -> list[OutgoingBatch]:
        with self._lock:
            return super().unsettled()

    def give_up(self, failure: MoldauError) -> None:
        with self._lock:
            super().give_up(failure)

    def wake_at(self, now_ms: int) -> int | None:
        with self._lock:
            return super().wake_at(now_ms)

    def take_failures(self) -> tuple[list[MoldauError], int]:
        with self._lock:
            return super().take_failures()
