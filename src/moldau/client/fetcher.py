"""Fetches ahead for one consumer: the driver around its positions.

Like the sender it has one `_pump`, on the loop's next turn after anything changed. One fetch is under way to each
leader, for all of its partitions that want records; it waits at the broker when there are none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from moldau.channel import Channel, ChannelError, VersionNotServed
from moldau.client.cluster import Cluster
from moldau.client.errors import (
    BrokerUnavailable,
    ClientClosed,
    CorruptRecords,
    MoldauError,
    UnsupportedByBroker,
    broker_error,
)
from moldau.client.fetched import FetchedBatch
from moldau.client.offsets import find_offsets, time_of
from moldau.client.options import ConsumerSettings
from moldau.client.positions import EARLIEST, LATEST, Position, Positions
from moldau.client.topology import NO_LEADER, NO_TOPIC_ID
from moldau.environment.doors import Timer
from moldau.model import ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic, PartitionData
from moldau.records import InvalidBatch

LAST_WITH_NAMES = 12
RECEIVE_BYTES = 2 * 1024 * 1024

Terms = dict[int, int]
"""The term of each partition when it was asked for."""


class Fetcher:
    """One consumer's way from the brokers. All of it runs on the loop's thread."""

    def __init__(self, cluster: Cluster, positions: Positions, settings: ConsumerSettings) -> None:
        self._cluster = cluster
        self._positions = positions
        self._settings = settings
        self._topic = positions.topic
        self._clock = cluster.environment.clock
        self._loop = asyncio.get_running_loop()
        self._connections = cluster.connections(self.wake, 1, RECEIVE_BYTES, settings.max_wait)
        self._unwatch = cluster.watch(self._topic, self.wake)
        cluster.adopt(self)
        self._asked: dict[int, None] = {}
        """Leaders that a fetch is under way to."""
        self._waiter: asyncio.Future[None] | None = None
        self._failure: MoldauError | None = None
        self._heard_ms = self._clock.monotonic_ms()
        self._reading_since_ms: int | None = None
        self._woken = False
        self._timer: Timer | None = None
        self._closed = False

    async def close(self) -> None:
        """Stop fetching."""
        if self._closed:
            return
        self._closed = True
        self._cluster.release(self)
        self._unwatch()
        if self._timer is not None:
            self._timer.cancel()
        self._connections.close()
        self._tell()

    # ------------------------------------------------------------------------- what the verbs wait for

    async def next(self, max_records: int, gather: float, patience: float | None = None) -> FetchedBatch | None:
        """The next batch, after up to `gather` seconds in which more may join it. None at the end (every partition
        reached its stop), or when `patience` seconds bring nothing."""
        self._reading_since_ms = self._clock.monotonic_ms()
        try:
            async with asyncio.timeout(patience):
                while not self._positions.ready(1):
                    if self._positions.finished:
                        return None
                    await self._change()
        except TimeoutError:
            return None
        finally:
            self._reading_since_ms = None
        if gather > 0:
            try:
                async with asyncio.timeout(gather):
                    while not self._positions.ready(max_records):
                        await self._change()
            except TimeoutError:
                pass
        batch = self._positions.take(max_records)
        self.wake()
        return batch

    @property
    def partitions(self) -> list[int]:
        """The partitions that are fetched."""
        return self._positions.indexes

    @property
    def finished(self) -> bool:
        """Whether every partition has reached its stop."""
        return self._positions.finished

    @property
    def high_watermarks(self) -> dict[int, int]:
        """The end of each partition as of its last fetch; -1 where there was none."""
        return {index: self._positions.at(index).high_watermark for index in self._positions.indexes}

    async def seek(self, index: int, offset: int | None, wanted: int | None) -> None:
        """Go on somewhere else."""
        self._check()
        self._positions.seek(index, offset, wanted)
        self.wake()

    async def position(self, index: int) -> int:
        """The offset of the next record to be handed out; waits until it is known."""
        position = self._positions.at(index)
        while position.wanted is not None:
            await self._change()
        return position.offset

    async def pause(self, indexes: list[int], paused: bool) -> None:
        """Hand out nothing of these partitions (any more), or do so again."""
        self._check()
        for index in indexes:
            self._positions.at(index).paused = paused
        self._tell()
        self.wake()

    # ----------------------------------------------------------------------------------- fetching

    def wake(self) -> None:
        """Something changed: pump on the loop's next turn."""
        if not self._woken and not self._closed:
            self._woken = True
            self._loop.call_soon(self._pump)

    def _pump(self) -> None:
        self._woken = False
        if self._closed:
            return
        now_ms = self._clock.monotonic_ms()
        self._find(now_ms)
        for leader, positions in self._positions.fetchable(now_ms, self._leader).items():
            if leader not in self._asked and (channel := self._channel(leader)) is not None:
                self._fetch(leader, channel, positions)
        self._arm(now_ms)

    def _leader(self, index: int) -> int:
        known = self._cluster.topology.partition(self._topic, index)
        return known.leader if known is not None else NO_LEADER

    def _channel(self, leader: int) -> Channel | None:
        node = self._cluster.topology.node(leader)
        if node is None:
            self._complain(BrokerUnavailable(f"{self._topic!r} has a partition without a leader"))
            self._cluster.stale()
            return None
        address = (node.host, node.port)
        channel = self._connections.ready(address)
        failure = self._connections.failure(address)
        if channel is None and failure is not None:
            self._complain(failure)
            self._cluster.stale()
        return channel

    def _fetch(self, leader: int, channel: Channel, positions: list[Position]) -> None:
        terms = {position.index: position.term for position in positions}
        known = self._cluster.topology.topics.get(self._topic)
        topic_id = known.id if known is not None else NO_TOPIC_ID
        try:
            version = channel.version(ApiKey.FETCH, None if topic_id != NO_TOPIC_ID else LAST_WITH_NAMES)
            request = self._request(topic_id, positions)
            channel.request(request, partial(self._answered, leader, terms), version=version)
        except VersionNotServed as refused:
            self._fail(UnsupportedByBroker(f"cannot fetch: {refused}"))
            return
        except ChannelError as failure:
            self._retry(terms, failure)
            return
        self._asked[leader] = None
        for position in positions:
            position.fetching = True

    def _request(self, topic_id: bytes, positions: list[Position]) -> FetchRequest:
        settings = self._settings
        partitions = []
        for position in positions:
            known = self._cluster.topology.partition(self._topic, position.index)
            partitions.append(
                FetchPartition(
                    partition=position.index,
                    current_leader_epoch=known.leader_epoch if known is not None else -1,
                    fetch_offset=position.fetch_offset,
                    partition_max_bytes=settings.partition_bytes,
                )
            )
        return FetchRequest(
            max_wait_ms=round(settings.max_wait * 1000),
            min_bytes=settings.min_bytes,
            max_bytes=settings.fetch_bytes,
            isolation_level=int(settings.isolation == "read_committed"),
            topics=[FetchTopic(topic=self._topic, topic_id=topic_id, partitions=partitions)],
        )

    def _answered(self, leader: int, terms: Terms, answer: FetchResponse | None, error: ChannelError | None) -> None:
        self._asked.pop(leader, None)
        if self._closed:
            return
        if answer is None:
            self._retry(terms, error)
        elif answer.error_code:
            self._retry(terms, broker_error(answer.error_code, "fetching"))
        else:
            left = dict(terms)
            for topic in answer.responses:
                for data in topic.partitions:
                    if data.partition_index in left:
                        self._take_in(data, left.pop(data.partition_index))
            if left:
                self._retry(left, broker_error(ErrorCode.UNKNOWN_TOPIC_ID, "a fetch left out partitions"))
        self._tell()
        self.wake()

    def _take_in(self, data: PartitionData, term: int) -> None:
        index = data.partition_index
        if data.error_code == ErrorCode.NONE:
            self._heard_ms = self._clock.monotonic_ms()
            aborted = [(each.producer_id, each.first_offset) for each in data.aborted_transactions or ()]
            records: Any = data.records if data.records is not None else b""
            try:
                self._positions.received(index, term, records, data.high_watermark, aborted)
            except InvalidBatch as broken:
                self._retry({index: term}, broken)
                self._fail(CorruptRecords(f"what {self._topic}-{index} sent is not record batches: {broken}"))
            return
        if data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
            self._out_of_range(index, term)
            return
        failure = broker_error(data.error_code, f"fetching from {self._topic}-{index}")
        self._retry({index: term}, failure)
        if not failure.retriable:
            self._fail(failure)

    def _out_of_range(self, index: int, term: int) -> None:
        position = self._positions.at(index)
        position.fetching = False
        if position.term != term:
            return
        policy = self._settings.out_of_range
        if policy != "raise":
            self._positions.seek(index, None, EARLIEST if policy == "earliest" else LATEST)
            return
        self._retry({index: term}, None)
        if not position.chunks:
            tried = f"offset {position.fetch_offset} of {self._topic}-{index} is not there"
            self._fail(broker_error(ErrorCode.OFFSET_OUT_OF_RANGE, tried))

    def _find(self, now_ms: int) -> None:
        wanted = self._positions.to_find(now_ms)
        if wanted:
            for position in wanted:
                position.finding = True
            terms = {position.index: position.term for position in wanted}
            times = {position.index: position.wanted for position in wanted if position.wanted is not None}
            self._cluster.tasks.start(self._search(terms, times), f"find offsets of {self._topic}")

    async def _search(self, terms: Terms, times: dict[int, int]) -> None:
        try:
            offsets = await find_offsets(self._cluster, self._topic, times, self._settings.isolation)
        except MoldauError as failure:
            self._retry(terms, failure)
            self._fail(failure)
            return
        for index, offset in offsets.items():
            self._positions.found(index, terms[index], offset)
        self._tell()
        self.wake()

    # ---------------------------------------------------------------------------------- inside

    def _retry(self, terms: Terms, trouble: Exception | None) -> None:
        if trouble is not None:
            self._complain(trouble)
            self._cluster.stale()
        not_before_ms = self._clock.monotonic_ms() + round(self._cluster.settings.retry_backoff * 1000)
        for index, term in terms.items():
            self._positions.failed(index, term, not_before_ms)

    def _complain(self, trouble: Exception) -> None:
        """Tell a reader why there is nothing once it has waited too long."""
        if self._reading_since_ms is None or self._failure is not None:
            return
        silent_ms = self._clock.monotonic_ms() - max(self._heard_ms, self._reading_since_ms)
        limit = self._cluster.settings.operation_timeout
        if silent_ms > limit * 1000:
            self._fail(
                BrokerUnavailable(
                    f"nothing could be fetched from {self._topic!r} for {limit:g} s: {trouble}; "
                    "see whether the brokers run (reading on tries again)"
                )
            )

    def _fail(self, failure: MoldauError) -> None:
        self._failure = failure
        self._tell()

    def _check(self) -> None:
        if self._closed:
            raise ClientClosed("the consumer is closed; read inside its `with` block")
        self._cluster.check()
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    async def _change(self) -> None:
        """Wait until something may be different; raise what went wrong."""
        self._check()
        self.wake()
        if self._waiter is None or self._waiter.done():
            self._waiter = self._loop.create_future()
        await asyncio.shield(self._waiter)
        self._check()

    def _tell(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _arm(self, now_ms: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        wake_at_ms = self._positions.wake_at(now_ms)
        if wake_at_ms is not None:
            self._timer = self._clock.call_at(wake_at_ms, self.wake)


async def start_fetcher(
    cluster: Cluster, topic: str, partitions: Sequence[int] | None, settings: ConsumerSettings
) -> Fetcher:
    """A fetcher that knows where each partition starts and stops."""
    cluster.check()
    known = await cluster.topic(topic)
    indexes = list(range(len(known.partitions))) if partitions is None else sorted(dict.fromkeys(partitions))
    positions = Positions(
        topic, indexes, partition_bytes=settings.partition_bytes, prefetch_bytes=settings.prefetch_bytes
    )
    for index, offset in (await _starts(cluster, positions, settings)).items():
        positions.seek(index, offset)
    stops = settings.stop
    if stops == "latest":
        stops = await find_offsets(cluster, topic, dict.fromkeys(indexes, LATEST), settings.isolation)
    for index, stop in (stops or {}).items():
        positions.at(index).stop = stop
    fetcher = Fetcher(cluster, positions, settings)
    fetcher.wake()
    return fetcher


async def _starts(cluster: Cluster, positions: Positions, settings: ConsumerSettings) -> dict[int, int]:
    """Where each partition begins, as of now: what is written from now on lies behind 'latest'."""
    start = settings.start
    given = dict(start) if isinstance(start, Mapping) else {}
    for index in given:
        positions.at(index)
    when = EARLIEST if isinstance(start, Mapping) else time_of(start)
    times = {index: when for index in positions.indexes if index not in given}
    found = await find_offsets(cluster, positions.topic, times, settings.isolation)
    behind = dict.fromkeys((index for index, offset in found.items() if offset < 0), LATEST)
    return given | found | await find_offsets(cluster, positions.topic, behind, settings.isolation)
