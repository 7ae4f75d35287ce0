"""Empties the accumulator onto the brokers' connections: the producer's driver.

Its `pump` is the one place where something is sent; everything that may have changed what can be sent (a record, an
answer, a connection, new metadata, time) asks for a turn of it, and many such wishes make one turn. It decides
nothing about batches: the accumulator does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from moldau.channel import Channel, ChannelError, VersionNotServed
from moldau.client.accumulator import Accumulator
from moldau.client.cluster import Cluster
from moldau.client.errors import (
    BrokerUnavailable,
    BufferFull,
    ClientClosed,
    MoldauError,
    TimedOut,
    UnsupportedByBroker,
    broker_error,
)
from moldau.client.options import ProducerSettings
from moldau.client.outgoing import UNKNOWN_OFFSET, OutgoingBatch
from moldau.client.produce import fates, newest_version, request_of
from moldau.environment.doors import Timer
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.init_producer_id import InitProducerIdRequest

ACKS = {"all": -1, -1: -1, 0: 0, 1: 1}


class Sender:
    """One producer's way to the brokers. All of it runs on the loop's thread."""

    def __init__(self, cluster: Cluster, accumulator: Accumulator[Any], settings: ProducerSettings) -> None:
        self._cluster = cluster
        self._accumulator = accumulator
        self._settings = settings
        self._acks = ACKS[settings.acks]
        self._clock = cluster.environment.clock
        self._loop = asyncio.get_running_loop()
        self._connections = cluster.connections(self.wake, settings.in_flight)
        self._unwatch: dict[str, Callable[[], None]] = {}
        self._room_waiters: list[asyncio.Future[None]] = []
        self._freed_told = 0
        self._woken = False
        self._timer: Timer | None = None
        self._closed = False
        cluster.adopt(self)

    async def start(self) -> None:
        """Get a producer id, when idempotent."""
        if not self._settings.idempotent:
            return

        async def ask() -> None:
            answer = await self._cluster.call(InitProducerIdRequest(transactional_id=None), "get a producer id")
            if answer.error_code:
                raise broker_error(answer.error_code, "getting a producer id")
            self._accumulator.identify(answer.producer_id, answer.producer_epoch)

        await self._cluster.retrying("get a producer id", ask)

    async def close(self) -> None:
        """End at once; what is still buffered is lost and says so."""
        if self._closed:
            return
        self._closed = True
        self._cluster.release(self)
        for stop in self._unwatch.values():
            stop()
        if self._timer is not None:
            self._timer.cancel()
        self._connections.close()
        self._accumulator.give_up(ClientClosed("the producer was closed before these records were acknowledged"))
        self._tell()

    # ------------------------------------------------------------------------- what the verbs wait for

    async def admit(self, topic: str, since_ms: int, freed: int) -> None:
        """Wait until the accumulator may take a record for this topic that it did not take when its `freed` was this:
        until the topic is known, or room has been given back since."""
        self._check()
        if not self._accumulator.knows(topic):
            await self._learn(topic)
            return
        self._accumulator.close_all()
        self.wake()
        if self._accumulator.freed != freed:
            return
        left_ms = since_ms + round(self._settings.max_block * 1000) - self._clock.monotonic_ms()
        waiter = self._loop.create_future()
        self._room_waiters.append(waiter)
        try:
            async with asyncio.timeout(max(left_ms, 0) / 1000):
                await waiter
        except TimeoutError:
            raise BufferFull(
                f"the producer's buffer ({self._settings.buffer_bytes} bytes) stayed full for "
                f"{self._settings.max_block:g} s; see whether the brokers keep up, or raise buffer_bytes or max_block"
            ) from None

    async def settlement(self, batch: OutgoingBatch) -> None:
        """Wait until the batch's fate is known; it need not linger any longer."""
        if batch.settled:
            return
        waiter: asyncio.Future[None] = self._loop.create_future()
        batch.watchers.append(partial(_resolve, waiter))
        if self._accumulator.hasten(batch):
            self.wake()
        await waiter

    async def flush(self) -> None:
        """Wait until everything that is buffered now has its fate."""
        self._accumulator.close_all()
        self.wake()
        batches = self._accumulator.unsettled()
        if not batches:
            return
        waiter: asyncio.Future[None] = self._loop.create_future()
        left = len(batches)

        def settled() -> None:
            nonlocal left
            left -= 1
            if not left:
                _resolve(waiter)

        for batch in batches:
            batch.watchers.append(settled)
        await waiter

    # --------------------------------------------------------------------------------- sending

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
        self._accumulator.tick(now_ms)
        for leader, queues in self._accumulator.ready(now_ms).items():
            channel = self._channel(leader)
            while channel is not None and channel.free:
                batches = self._accumulator.take(queues, now_ms)
                if not batches:
                    break
                self._send(channel, batches)
        self._tell()
        self._arm(now_ms)

    def _channel(self, leader: int) -> Channel | None:
        node = self._cluster.topology.node(leader)
        if node is None:
            self._cluster.stale()
            return None
        address = (node.host, node.port)
        channel = self._connections.ready(address)
        if channel is None and self._connections.failure(address) is not None:
            self._cluster.stale()
        return channel

    def _send(self, channel: Channel, batches: list[OutgoingBatch]) -> None:
        topology, timeout_ms = self._cluster.topology, round(self._cluster.settings.request_timeout * 1000)
        request = request_of(batches, topology, self._acks, timeout_ms)
        try:
            version = channel.version(ApiKey.PRODUCE, newest_version(request))
            channel.request(request, partial(self._answered, batches), version=version, answered=self._acks != 0)
        except VersionNotServed as refused:
            self._refuse(batches, UnsupportedByBroker(f"cannot produce: {refused}"))
        except ChannelError as failure:
            self._refuse(batches, BrokerUnavailable(str(failure)))

    def _answered(self, batches: list[OutgoingBatch], answer: Any, error: ChannelError | None) -> None:
        if self._closed:
            return
        if error is not None:
            self._refuse(batches, BrokerUnavailable(f"no answer to a produce request: {error}"))
        elif answer is None:
            for batch in batches:
                self._accumulator.written(batch, UNKNOWN_OFFSET, -1)
        else:
            now_ms = self._clock.monotonic_ms()
            for fate in fates(answer, batches, self._cluster.topology):
                if fate.failure is None:
                    self._accumulator.written(fate.batch, fate.base_offset, fate.append_time_ms)
                    continue
                if fate.leader_moved:
                    self._lost_leader(fate.batch)
                self._accumulator.refused(fate.batch, fate.failure, now_ms)
        self.wake()

    def _refuse(self, batches: Sequence[OutgoingBatch], failure: MoldauError) -> None:
        now_ms = self._clock.monotonic_ms()
        for batch in batches:
            self._lost_leader(batch)
            self._accumulator.refused(batch, failure, now_ms)
        self.wake()

    def _lost_leader(self, batch: OutgoingBatch) -> None:
        self._accumulator.forget_leader(batch.topic, batch.partition)
        self._cluster.stale()

    # ---------------------------------------------------------------------------------- inside

    async def _learn(self, topic: str) -> None:
        try:
            async with asyncio.timeout(self._settings.max_block):
                info = await self._cluster.topic(topic)
        except TimeoutError:
            raise TimedOut(f"nothing could be learned of topic {topic!r} within max_block") from None
        if topic not in self._unwatch:
            self._unwatch[topic] = self._cluster.watch(topic, partial(self._refreshed, topic))
        self._accumulator.learn(topic, info.leaders)

    def _refreshed(self, topic: str) -> None:
        known = self._cluster.topology.topics.get(topic)
        if known is not None and known.partitions:
            self._accumulator.learn(topic, known.leaders)
        self.wake()

    def _check(self) -> None:
        if self._closed:
            raise ClientClosed("the producer is closed; send inside its `with` block")
        self._cluster.check()

    def _tell(self) -> None:
        """Let those look again who wait for room, once there is more of it."""
        if self._accumulator.freed == self._freed_told and not self._closed:
            return
        self._freed_told = self._accumulator.freed
        waiters, self._room_waiters = self._room_waiters, []
        for waiter in waiters:
            _resolve(waiter)

    def _arm(self, now_ms: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        wake_at_ms = self._accumulator.wake_at(now_ms)
        if wake_at_ms is not None:
            self._timer = self._clock.call_at(max(wake_at_ms, now_ms + 1), self.wake)


async def start_sender(cluster: Cluster, accumulator: Accumulator[Any], settings: ProducerSettings) -> Sender:
    """A sender that knows who it is; nothing stays open when it cannot be had."""
    sender = Sender(cluster, accumulator, settings)
    try:
        await sender.start()
    except BaseException:
        await sender.close()
        raise
    return sender


def _resolve(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
