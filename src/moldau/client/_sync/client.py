# Generated from client/client.py by tools/unasync.py; change it there.
# fmt: off
# ruff: noqa: I001, RUF100
"""The client's verbs: where everything begins."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self, Unpack

from moldau.client.addresses import addresses_of
from moldau.client._sync.admin import Admin
from moldau.client.cluster import Cluster, start_cluster
from moldau.client._sync.consumer import Consumer
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
from moldau.client._sync.producer import Producer
from moldau.client._sync.runner import Runner, Doors


class Client:
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
        self._runner = Runner(environment)
        self._cluster: Cluster | None = None
        self.admin = Admin(self._runner, self._opened)

    def __enter__(self) -> Self:
        environment = self._runner.open()
        try:
            self._cluster = self._runner.wait(start_cluster(self._bootstrap, environment, self._settings))
        except BaseException:
            self._runner.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection; producers and consumers that are still open end at once."""
        if self._cluster is not None:
            cluster, self._cluster = self._cluster, None
            try:
                self._runner.wait(cluster.close())
            finally:
                self._runner.close()

    def producer(self, **options: Unpack[ProducerOptions]) -> Producer:
        """A producer, to be used in a `with` block of its own."""
        return Producer(self._runner, self._opened, producer_settings(options))

    def consumer(
        self, topic: str, *, partitions: Sequence[int] | None = None, **options: Unpack[ConsumerOptions]
    ) -> Consumer:
        """A consumer of some partitions of a topic (all of them by default), to be used in a `with` block."""
        settings = settings_of(ConsumerSettings, options, "consumer()")
        return Consumer(self._runner, self._opened, topic, partitions, settings)

    def list_offsets(
        self, topic: str, when: str | int = "latest", *, partitions: Sequence[int] | None = None
    ) -> dict[int, int]:
        """For each partition its first offset ('earliest'), its end ('latest'), or the offset of the first record
        that is as late as a timestamp in milliseconds (-1 where none is)."""
        return self._runner.wait(offsets_at(self._opened(), topic, when, partitions))

    def _opened(self) -> Cluster:
        if self._cluster is None:
            raise ClientClosed("the client is not open; use it inside its `with` block")
        return self._cluster
