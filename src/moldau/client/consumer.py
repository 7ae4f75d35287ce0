"""The consumer's verbs: reading partitions that were assigned by hand. The synchronous one is generated from this file.

The fetcher keeps batches ready; they are decoded here, on the reader's side, when they are read.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from itertools import islice
from operator import length_hint
from types import TracebackType
from typing import Self

from moldau.client.cluster import Cluster
from moldau.client.errors import ClientClosed
from moldau.client.fetched import ConsumedRecord, FetchedBatch
from moldau.client.fetcher import Fetcher, start_fetcher
from moldau.client.offsets import time_of
from moldau.client.options import ConsumerSettings
from moldau.client.runner import AsyncRunner

WHOLE_CHUNK = 1 << 31
"""More records than any fetched chunk has."""


class AsyncConsumer:
    """Reads one topic's partitions; made by the client's `consumer`, used in a `with` block by one reader."""

    def __init__(
        self,
        runner: AsyncRunner,
        cluster: Callable[[], Cluster],
        topic: str,
        partitions: Sequence[int] | None,
        settings: ConsumerSettings,
    ) -> None:
        self.topic = topic
        self._runner = runner
        self._find_cluster = cluster
        self._partitions = partitions
        self._settings = settings
        self._open = False
        self._batch: FetchedBatch | None = None
        self._records: list[ConsumedRecord] = []
        """What `_batch` was decoded to; clearing it ends every loop over `_unread`."""
        self._unread = iter(self._records)

    async def __aenter__(self) -> Self:
        self._fetcher = await self._runner.wait(
            start_fetcher(self._find_cluster(), self.topic, self._partitions, self._settings)
        )
        self._open = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop fetching; what was fetched and not read is forgotten."""
        if self._open:
            self._open = False
            await self._runner.wait(self._fetcher.close())

    # ------------------------------------------------------------------------------------- reading

    async def __aiter__(self) -> AsyncIterator[ConsumedRecord]:
        """One record after another; without a stop, for ever. Breaking off and iterating again goes on where it was."""
        while True:
            for record in self._unread:
                yield record
            if not await self._read_batch(None):
                return

    async def batches(self, max_records: int = 5000, max_wait: float = 0.0) -> AsyncIterator[FetchedBatch]:
        """Batches of at most so many records of one partition each. A batch that is not full waits up to `max_wait`
        seconds for more records, after its first."""
        if max_records < 1:
            raise ValueError(f"a batch has at least one record, not {max_records}")
        while True:
            batch = await self._next(max_records, max_wait, None)
            if batch is None:
                return
            yield batch

    async def poll(self, max_records: int = 500, max_wait: float = 0.5) -> list[ConsumedRecord]:
        """The records that are there, at most so many; an empty list when none come within `max_wait` seconds or the
        stop has been reached."""
        if max_records < 1:
            raise ValueError(f"at least one record can be asked for, not {max_records}")
        if not length_hint(self._unread) and not await self._read_batch(max_wait):
            return []
        return list(islice(self._unread, max_records))

    # ---------------------------------------------------------------------------------- positions

    @property
    def partitions(self) -> list[int]:
        """The partitions that are read."""
        return self._opened().partitions

    @property
    def finished(self) -> bool:
        """Whether there is a stop and everything before it has been read."""
        return not length_hint(self._unread) and self._opened().finished

    async def seek(self, partition: int, where: str | int = "earliest") -> None:
        """Go on at this offset, or at 'earliest' or 'latest'."""
        self._forget(partition)
        if isinstance(where, str):
            await self._runner.wait(self._opened().seek(partition, None, time_of(where)))
        else:
            await self._runner.wait(self._opened().seek(partition, where, None))

    async def seek_to_time(self, partition: int, timestamp_ms: int) -> None:
        """Go on at the first record that is as late as that, or at the end when none is."""
        self._forget(partition)
        await self._runner.wait(self._opened().seek(partition, None, time_of(timestamp_ms)))

    async def position(self, partition: int) -> int:
        """The offset of the next record that will be read."""
        unread = length_hint(self._unread)
        if unread and self._batch is not None and self._batch.partition == partition:
            return self._records[-unread].offset
        return await self._runner.wait(self._opened().position(partition))

    async def lag(self) -> dict[int, int]:
        """How many offsets each partition's high watermark, as of the last fetch, lies ahead of the reader."""
        marks = self._opened().high_watermarks
        return {index: max(0, mark - await self.position(index)) for index, mark in marks.items() if mark >= 0}

    async def pause(self, *partitions: int) -> None:
        """Read nothing of these partitions until `resume`."""
        await self._runner.wait(self._opened().pause(list(partitions), True))

    async def resume(self, *partitions: int) -> None:
        """Read these partitions again."""
        await self._runner.wait(self._opened().pause(list(partitions), False))

    # -------------------------------------------------------------------------------------- inside

    async def _read_batch(self, patience: float | None) -> bool:
        """Decode the next batch that has records; False when there is none (in time)."""
        while True:
            batch = await self._next(WHOLE_CHUNK, 0.0, patience)
            if batch is None:
                return False
            records = batch.records()
            if records:
                self._batch, self._records = batch, records
                self._unread = iter(records)
                return True

    async def _next(self, max_records: int, gather: float, patience: float | None) -> FetchedBatch | None:
        return await self._runner.wait(self._opened().next(max_records, gather, patience))

    def _forget(self, partition: int) -> None:
        if self._batch is not None and self._batch.partition == partition:
            self._batch = None
            self._records.clear()

    def _opened(self) -> Fetcher:
        if not self._open:
            raise ClientClosed("the consumer is not open; read inside its `with` block")
        return self._fetcher
