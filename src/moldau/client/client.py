"""The client's verbs: where everything begins. The synchronous `Client` is generated from this file."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self, Unpack

from moldau.client.addresses import addresses_of
from moldau.client.admin import AsyncAdmin
from moldau.client.cluster import Cluster, start_cluster
from moldau.client.consumer import AsyncConsumer
from moldau.client.errors import ClientClosed
from moldau.client.offsets import offsets_at
from moldau.client.options import (
    ClientOptions,
    ClientSettings,
    ConsumerOptions,
    ConsumerSettings,
    ProducerOptions,
    producer_settings,
    settings_of,
)
from moldau.client.producer import AsyncProducer
from moldau.client.runner import AsyncRunner, Doors


class AsyncClient:
    """A client of one cluster; nothing is connected before its `with` block begins or after it ends."""

    def __init__(
        self,
        bootstrap: str | Sequence[str],
        *,
        environment: Doors | None = None,
        **options: Unpack[ClientOptions],
    ) -> None:
        """`bootstrap` names one or more brokers as `host:port` (several in one text with commas between)."""
        self._bootstrap = addresses_of(bootstrap)
        self._settings = settings_of(ClientSettings, options, type(self).__name__)
        self._runner = AsyncRunner(environment)
        self._cluster: Cluster | None = None
        self.admin = AsyncAdmin(self._runner, self._opened)

    async def __aenter__(self) -> Self:
        environment = await self._runner.open()
        try:
            self._cluster = await self._runner.wait(start_cluster(self._bootstrap, environment, self._settings))
        except BaseException:
            await self._runner.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection; producers and consumers that are still open end at once."""
        if self._cluster is not None:
            cluster, self._cluster = self._cluster, None
            try:
                await self._runner.wait(cluster.close())
            finally:
                await self._runner.close()

    def producer(self, **options: Unpack[ProducerOptions]) -> AsyncProducer:
        """A producer, to be used in a `with` block of its own."""
        return AsyncProducer(self._runner, self._opened, producer_settings(options))

    def consumer(
        self, topic: str, *, partitions: Sequence[int] | None = None, **options: Unpack[ConsumerOptions]
    ) -> AsyncConsumer:
        """A consumer of some partitions of a topic (all of them by default), to be used in a `with` block."""
        settings = settings_of(ConsumerSettings, options, "consumer()")
        return AsyncConsumer(self._runner, self._opened, topic, partitions, settings)

    async def list_offsets(
        self, topic: str, when: str | int = "latest", *, partitions: Sequence[int] | None = None
    ) -> dict[int, int]:
        """For each partition its first offset ('earliest'), its end ('latest'), or the offset of the first record
        that is as late as a timestamp in milliseconds (-1 where none is)."""
        return await self._runner.wait(offsets_at(self._opened(), topic, when, partitions))

    def _opened(self) -> Cluster:
        if self._cluster is None:
            raise ClientClosed("the client is not open; use it inside its `with` block")
        return self._cluster
