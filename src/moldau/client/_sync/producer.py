# Generated from client/producer.py by tools/unasync.py; change it there.
# fmt: off
# ruff: noqa: I001, RUF100
"""The producer's verbs.

A record is taken into the buffer at once unless its topic is not known yet or the buffer is full; the sender takes
it from there. What could not be delivered is told by its delivery, by `flush` and by leaving the block: never by
silence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from types import TracebackType
from typing import Self

from moldau.client.accumulator import Accumulator, BatchMaking, BufferLimits
from moldau.client.cluster import Cluster
from moldau.client._sync.delivery import Deliveries, Delivery
from moldau.client.errors import ClientClosed
from moldau.client.options import COMPRESSIONS, ProducerSettings
from moldau.client.outgoing import Builder, Headers, OutgoingBatch
from moldau.client.partition_queue import QueueLimits
from moldau.client._sync.runner import Runner
from moldau.client.sender import start_sender
from moldau.records import BatchBuilder, Codec, build_values

Append = Callable[
    [str, bytes | None, bytes | None, Headers, int | None, int],
    Delivery | None,
]

NOT_OPEN = "the producer is not open; send inside its `with` block"

FEW = 32
"""So many values are cheaper to append one by one than to make a batch of their own for."""


class Producer:
    """Sends records; made by the client's `producer`, used in a `with` block, safe to share within it."""

    def __init__(self, runner: Runner, cluster: Callable[[], Cluster], settings: ProducerSettings) -> None:
        self._runner = runner
        self._find_cluster = cluster
        self._settings = settings
        self._open = False
        self._append: Append = _refuse
        self._wall_ms: Callable[[], int] = _no_time

    def __enter__(self) -> Self:
        cluster = self._find_cluster()
        clock = cluster.environment.clock
        self._wall_ms = clock.wall_ms
        self._now_ms = clock.monotonic_ms
        self._accumulator = self._new_accumulator(cluster)
        self._append = self._accumulator.append
        self._sender = self._runner.wait(start_sender(cluster, self._accumulator, self._settings))
        self._wake = self._sender.wake
        self._open = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Deliver what is buffered, then close. An error that is already on its way keeps its way, and what could
        not be delivered is noted on it; without one it is raised."""
        try:
            if error is None:
                self.flush()
            elif isinstance(error, Exception):
                try:
                    self.flush()
                except ExceptionGroup as lost:
                    error.add_note(f"besides, {lost.message}: {lost.exceptions[0]}")
        finally:
            self.close()

    def close(self) -> None:
        """End at once, without delivering what is buffered; leaving the block is the gentle way."""
        if self._open:
            self._open = False
            self._append = _refuse
            self._runner.wait(self._sender.close())

    def send(
        self,
        topic: str,
        value: bytes | None,
        *,
        key: bytes | None = None,
        headers: Headers = (),
        partition: int | None = None,
        timestamp_ms: int | None = None,
    ) -> Delivery:
        """Take one record into the buffer; what comes back knows how it ended."""
        if timestamp_ms is None:
            timestamp_ms = self._wall_ms()
        delivery = self._append(topic, value, key, headers, partition, timestamp_ms)
        if delivery is None:
            delivery = self._append_later(topic, value, key, headers, partition, timestamp_ms)
        if self._accumulator.attention:
            self._pass_on()
        return delivery

    def send_many(
        self,
        topic: str,
        values: Iterable[bytes | None],
        *,
        partition: int | None = None,
        timestamp_ms: int | None = None,
    ) -> Deliveries:
        """Take many records without keys into the buffer; they leave in their order where they share a partition."""
        self._check()
        if timestamp_ms is None:
            timestamp_ms = self._wall_ms()
        ordered = values if isinstance(values, list | tuple) else list(values)
        runs: list[tuple[OutgoingBatch, int, int]] = []
        taken = 0
        if len(ordered) <= FEW:
            for value in ordered:
                delivery = self.send(topic, value, partition=partition, timestamp_ms=timestamp_ms)
                runs.append((delivery.batch, delivery.index, 1))
            return Deliveries(runs, timestamp_ms)
        since_ms = self._now_ms()
        while taken < len(ordered):
            freed = self._accumulator.freed
            batch = self._accumulator.append_values(topic, ordered, taken, partition, timestamp_ms)
            if batch is None:
                self._runner.wait(self._sender.admit(topic, since_ms, freed))
                continue
            runs.append((batch, 0, batch.count))
            taken += batch.count
            self._pass_on()
        return Deliveries(runs, timestamp_ms)

    def flush(self) -> None:
        """Wait until the fate of everything sent so far is known; an ExceptionGroup tells what was lost since the
        last flush and has not been told by a delivery."""
        self._check()
        self._runner.wait(self._sender.flush())
        failures, dropped = self._accumulator.take_failures()
        if failures:
            more = f" and {dropped} more" if dropped else ""
            raise ExceptionGroup(
                f"{len(failures)}{more} batches of records were not delivered",
                [failure.again() for failure in failures],
            )

    def settlement(self, batch: OutgoingBatch) -> None:
        """Wait until the fate of one batch is known: what a delivery waits for."""
        self._runner.wait(self._sender.settlement(batch))

    def _append_later(
        self,
        topic: str,
        value: bytes | None,
        key: bytes | None,
        headers: Headers,
        partition: int | None,
        timestamp_ms: int,
    ) -> Delivery:
        """Wait until the topic is known and there is room."""
        self._check()
        since_ms = self._now_ms()
        while True:
            freed = self._accumulator.freed
            delivery = self._append(topic, value, key, headers, partition, timestamp_ms)
            if delivery is not None:
                return delivery
            self._runner.wait(self._sender.admit(topic, since_ms, freed))

    def _pass_on(self) -> None:
        self._check()
        self._accumulator.attention = False
        self._runner.kick(self._wake)
        self._runner.breathe()

    def _check(self) -> None:
        if not self._open:
            raise ClientClosed(NOT_OPEN)

    def _new_accumulator(self, cluster: Cluster) -> Accumulator[Delivery]:
        settings = self._settings
        codec = Codec(COMPRESSIONS.index(settings.compression))
        limits = BufferLimits(
            batch_bytes=min(settings.batch_bytes, settings.request_bytes, settings.buffer_bytes),
            buffer_bytes=settings.buffer_bytes,
            request_bytes=settings.request_bytes,
            linger_ms=round(settings.linger * 1000),
            delivery_timeout_ms=round(settings.delivery_timeout * 1000),
        )
        queue_limits = QueueLimits(
            idempotent=settings.idempotent,
            in_flight=settings.in_flight,
            retry_backoff_ms=round(cluster.settings.retry_backoff * 1000),
            retry_backoff_max_ms=round(cluster.settings.retry_backoff_max * 1000),
        )
        kind: type[Accumulator[Delivery]] = self._runner.shared(Accumulator)
        return kind(
            limits,
            queue_limits,
            BatchMaking(
                partial(_builder, codec, settings.compression_level),
                partial(build_values, codec=codec, compression_level=settings.compression_level),
            ),
            Delivery,
            self,
            cluster.environment.chance.stream("sticky partitions"),
            self._now_ms,
        )


def _refuse(
    topic: str, value: bytes | None, key: bytes | None, headers: Headers, partition: int | None, timestamp_ms: int
) -> Delivery | None:
    raise ClientClosed(NOT_OPEN)


def _no_time() -> int:
    raise ClientClosed(NOT_OPEN)


def _builder(codec: Codec, level: int | None, limit_bytes: int) -> Builder:
    return BatchBuilder(codec, limit_bytes, level)
