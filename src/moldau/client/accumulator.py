"""The producer's buffer: records gather in a batch for each partition until it is full, old enough or wanted.

The producer's verbs fill it, the sender empties it; it never waits, and it sees no connection.

I1  What is buffered never exceeds `buffer_bytes`: an open batch counts in full until it is closed.
I2  Every record that `append` took belongs to exactly one batch, and every batch is unsettled until its fate is known.
I3  A failure is told once by `take_failures` unless deliveries told it for each of the batch's records.
"""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from moldau.client.errors import MoldauError, RecordTooLarge, UnknownTopic
from moldau.client.outgoing import Builder, Headers, OutgoingBatch, Owner
from moldau.client.partition_queue import PartitionQueue, QueueLimits
from moldau.client.partitioner import KeyHashes

D = TypeVar("D")

RECORD_OVERHEAD = 32
"""More than a record without headers adds to its key and value."""
BATCH_OVERHEAD = 61
FAILURES_KEPT = 1000


@dataclass(frozen=True, slots=True)
class BufferLimits:
    """How much the accumulator holds, and for how long."""

    batch_bytes: int
    buffer_bytes: int
    request_bytes: int
    linger_ms: int
    delivery_timeout_ms: int


@dataclass(frozen=True, slots=True)
class BatchMaking:
    """How batches are built: with the records room's fast paths."""

    builder: Callable[[int], Builder]
    """Given the bytes that it may hold; the first record always fits."""
    of_values: Callable[[Sequence[bytes | None], int], bytes]
    """Given values and the time of all of them: a whole batch without a stamp."""


class TopicQueues:
    """The partitions of one topic and the one that records without a key go to at present."""

    __slots__ = ("queues", "sticky")

    def __init__(self) -> None:
        self.queues: list[PartitionQueue] = []
        self.sticky = -1


class Accumulator(Generic[D]):
    """Open and closed batches of one producer."""

    def __init__(
        self,
        limits: BufferLimits,
        queue_limits: QueueLimits,
        making: BatchMaking,
        delivery: Callable[[OutgoingBatch, int, int], D],
        owner: Owner,
        draw: random.Random,
        now_ms: Callable[[], int],
    ) -> None:
        self._limits = limits
        self._queue_limits = queue_limits
        self._making = making
        self._delivery = delivery
        self._owner = owner
        self._draw = draw
        self._now_ms = now_ms
        self._topics: dict[str, TopicQueues] = {}
        self._active: dict[PartitionQueue, None] = {}
        self._lingering: OrderedDict[OutgoingBatch, None] = OrderedDict()
        """The open batches, oldest first."""
        self._hash = KeyHashes().of
        self._identity: tuple[int, int] | None = None
        self._buffered = 0
        self._failures: list[tuple[OutgoingBatch, MoldauError]] = []
        self._failures_dropped = 0
        self.attention = False
        """A batch was opened or closed since the sender last looked."""
        self.freed = 0
        """How many times room was given back: who found none waits until this is another number."""

    # ---------------------------------------------------------------------------- the user's side

    def append(
        self,
        topic: str,
        value: bytes | None,
        key: bytes | None,
        headers: Headers,
        partition: int | None,
        timestamp_ms: int,
    ) -> D | None:
        """Take one record; None when the topic is not known yet or there is no room."""
        queues = self._topics.get(topic)
        if queues is None:
            return None
        if partition is None:
            index = queues.sticky if key is None else self._hash(key) % len(queues.queues)
            queue = queues.queues[index]
        else:
            queue = self._queue(topic, queues, partition)
        batch = queue.open
        if batch is None or not batch.append(timestamp_ms, key, value, headers):
            batch = self._open_with(queues, queue, timestamp_ms, key, value, headers)
            if batch is None:
                return None
        index = batch.count
        batch.count = index + 1
        return self._delivery(batch, index, timestamp_ms)

    def append_values(
        self, topic: str, values: Sequence[bytes | None], start: int, partition: int | None, timestamp_ms: int
    ) -> OutgoingBatch | None:
        """Make one batch of as many values from `start` on as fit; None when the topic is not known or there is no
        room. Its `count` says how many it took."""
        queues = self._topics.get(topic)
        if queues is None:
            return None
        index = queues.sticky if partition is None else partition
        queue = self._queue(topic, queues, index)
        chunk, size = self._fitting(values, start)
        if not self._room_for(size):
            return None
        if queue.open is not None:
            self._close(queue)
        batch = self._new_batch(queue, self._making.of_values(chunk, timestamp_ms), size)
        batch.count = len(chunk)
        queue.push(batch)
        self._active[queue] = None
        self._move_on(queues, queue)
        self.attention = True
        return batch

    @property
    def buffered_bytes(self) -> int:
        """How much of the buffer is taken."""
        return self._buffered

    def knows(self, topic: str) -> bool:
        """Whether records for this topic can be taken."""
        return topic in self._topics

    # ---------------------------------------------------------------------------- the sender's side

    def learn(self, topic: str, leaders: Sequence[int]) -> None:
        """The leader of each partition, -1 where there is none; partitions only ever become more."""
        queues = self._topics.setdefault(topic, TopicQueues())
        for partition in range(len(queues.queues), len(leaders)):
            queue = PartitionQueue(topic, partition, self._queue_limits)
            if self._identity is not None:
                queue.identify(*self._identity)
            queues.queues.append(queue)
        for queue, leader in zip(queues.queues, leaders, strict=False):
            queue.leader = leader
        if queues.queues and queues.sticky < 0:
            self._move_on(queues, None)

    def forget_leader(self, topic: str, partition: int) -> None:
        """That broker does not lead this partition (any more)."""
        self._topics[topic].queues[partition].leader = -1

    def identify(self, producer_id: int, epoch: int) -> None:
        """Who this producer is; nothing leaves before, when it is idempotent."""
        self._identity = (producer_id, epoch)
        for queues in self._topics.values():
            for queue in queues.queues:
                queue.identify(producer_id, epoch)

    def tick(self, now_ms: int) -> None:
        """Close what has lingered and give up what is overdue."""
        self.attention = False
        while self._lingering and (oldest := next(iter(self._lingering))).linger_until_ms <= now_ms:
            self._close_if_open(oldest)
        for queue in list(self._active):
            self._lose(queue.expire(now_ms))
            self._rest(queue)

    def hasten(self, batch: OutgoingBatch) -> bool:
        """Somebody waits for this batch: linger no longer. Whether that changed anything."""
        return self._close_if_open(batch)

    def close_all(self) -> None:
        """Every open batch is to leave as it is."""
        self._close_open()

    def ready(self, now_ms: int) -> dict[int, list[PartitionQueue]]:
        """The queues that have something to send, by leader (-1: unknown), the one served longest ago first."""
        ready: dict[int, list[PartitionQueue]] = {}
        for queue in self._active:
            if queue.identified and queue.sendable(now_ms):
                ready.setdefault(queue.leader, []).append(queue)
        return ready

    def take(self, queues: list[PartitionQueue], now_ms: int) -> list[OutgoingBatch]:
        """One batch from each of a leader's queues, as many as fit into a request (one in any case)."""
        taken: list[OutgoingBatch] = []
        room = self._limits.request_bytes
        for queue in queues:
            if not queue.sendable(now_ms):
                continue
            room -= queue.next_size()
            if room < 0 and taken:
                break
            taken.append(queue.take())
            self._active[queue] = self._active.pop(queue)
        return taken

    def written(self, batch: OutgoingBatch, base_offset: int, append_time_ms: int) -> None:
        """The batch is acknowledged."""
        queue = self._topics[batch.topic].queues[batch.partition]
        if queue.written(batch, base_offset, append_time_ms):
            self._settled(batch)
        self._rest(queue)

    def refused(self, batch: OutgoingBatch, failure: MoldauError, now_ms: int) -> None:
        """The batch is refused, or its fate is unknown."""
        queue = self._topics[batch.topic].queues[batch.partition]
        if queue.refused(batch, failure, now_ms):
            self._lose([batch])
        self._rest(queue)

    def give_up(self, failure: MoldauError) -> None:
        """Nothing more will be sent: all that is buffered is lost."""
        self._close_open()
        for queue in list(self._active):
            self._lose(queue.give_up(failure))
        self._active.clear()

    def unsettled(self) -> list[OutgoingBatch]:
        """The closed batches that have no fate yet."""
        return [batch for queue in self._active for batch in queue.unsettled()]

    def wake_at(self, now_ms: int) -> int | None:
        """When `tick` has something to do, or a pause before a retry ends."""
        times = [time for queue in self._active if (time := queue.wake_at(now_ms)) is not None]
        if self._lingering:
            times.append(next(iter(self._lingering)).linger_until_ms)
        return min(times, default=None)

    def take_failures(self) -> tuple[list[MoldauError], int]:
        """What was lost since the last call and has not been told (I3), and how many more failures were dropped."""
        failures = [failure for batch, failure in self._failures if batch.seen < batch.count]
        dropped, self._failures_dropped = self._failures_dropped, 0
        self._failures = []
        return failures, dropped

    # ---------------------------------------------------------------------------- inside

    def _queue(self, topic: str, queues: TopicQueues, partition: int) -> PartitionQueue:
        if not 0 <= partition < len(queues.queues):
            raise UnknownTopic(f"topic {topic!r} has partitions 0 to {len(queues.queues) - 1}, not {partition}")
        return queues.queues[partition]

    def _open_with(
        self,
        queues: TopicQueues,
        queue: PartitionQueue,
        timestamp_ms: int,
        key: bytes | None,
        value: bytes | None,
        headers: Headers,
    ) -> OutgoingBatch | None:
        """Open a batch whose first record this is, closing the one that it did not fit into."""
        if queue.open is not None:
            self._close(queue)
            if key is None and queue.partition == queues.sticky:
                self._move_on(queues, queue)
        size = self._check_size(queue, key, value, headers)
        limit = max(self._limits.batch_bytes, size)
        if not self._room_for(limit):
            return None
        builder = self._making.builder(limit)
        taken = builder.append(timestamp_ms, key, value, headers)
        assert taken
        batch = self._new_batch(queue, builder, limit)
        queue.open = batch
        self._lingering[batch] = None
        self.attention = True
        return batch

    def _new_batch(self, queue: PartitionQueue, content: Builder | bytes, size: int) -> OutgoingBatch:
        now_ms = self._now_ms()
        linger_until_ms = now_ms + self._limits.linger_ms
        deadline_ms = now_ms + self._limits.delivery_timeout_ms
        batch = OutgoingBatch(self._owner, queue.topic, queue.partition, content, linger_until_ms, deadline_ms)
        batch.size = size
        self._buffered += size
        return batch

    def _close_open(self) -> None:
        for batch in list(self._lingering):
            self._close_if_open(batch)

    def _close_if_open(self, batch: OutgoingBatch) -> bool:
        queue = self._topics[batch.topic].queues[batch.partition]
        if queue.open is not batch:
            return False
        self._close(queue)
        return True

    def _close(self, queue: PartitionQueue) -> None:
        batch = queue.open
        assert batch is not None
        queue.open = None
        del self._lingering[batch]
        self._give_back(batch.close())
        queue.push(batch)
        self._active[queue] = None
        self.attention = True

    def _move_on(self, queues: TopicQueues, queue: PartitionQueue | None) -> None:
        """Choose another partition for records without a key, one that has a leader if any has."""
        if queue is not None and queue.partition != queues.sticky:
            return
        led = [queue.partition for queue in queues.queues if queue.leader >= 0] or range(len(queues.queues))
        others = [partition for partition in led if partition != queues.sticky] or led
        queues.sticky = others[self._draw.randrange(len(others))]

    def _fitting(self, values: Sequence[bytes | None], start: int) -> tuple[Sequence[bytes | None], int]:
        """The values from `start` on that fit into one batch (at least one), and their size."""
        limit = self._limits.batch_bytes
        first = values[start]
        guess = max(1, (limit - BATCH_OVERHEAD) // (RECORD_OVERHEAD // 2 + len(first or b"")))
        while True:
            chunk = values[start : start + guess]
            size = _values_size(chunk)
            if size <= limit:
                return chunk, size
            if len(chunk) == 1:
                self._refuse_beyond(size)
                return chunk, size
            guess = max(1, min(len(chunk) - 1, len(chunk) * limit // size))

    def _check_size(self, queue: PartitionQueue, key: bytes | None, value: bytes | None, headers: Headers) -> int:
        size = BATCH_OVERHEAD + RECORD_OVERHEAD + len(key or b"") + len(value or b"")
        for name, content in headers:
            size += 2 * 5 + 4 * len(name) + len(content or b"")
        self._refuse_beyond(size)
        return size

    def _refuse_beyond(self, size: int) -> None:
        limit = min(self._limits.request_bytes, self._limits.buffer_bytes)
        if size > limit:
            raise RecordTooLarge(
                f"a record of {size} bytes is larger than request_bytes or buffer_bytes ({limit}); "
                "raise them (and the topic's max.message.bytes), or send a smaller record"
            )

    def _room_for(self, size: int) -> bool:
        return self._buffered + size <= self._limits.buffer_bytes  # I1

    def _rest(self, queue: PartitionQueue) -> None:
        if not queue:
            self._active.pop(queue, None)

    def _settled(self, batch: OutgoingBatch) -> None:
        self._give_back(batch.size)

    def _give_back(self, size: int) -> None:
        self._buffered -= size
        self.freed += 1

    def _lose(self, batches: list[OutgoingBatch]) -> None:
        for batch in batches:
            self._settled(batch)
            assert batch.failure is not None
            if len(self._failures) < FAILURES_KEPT:
                self._failures.append((batch, batch.failure))
            else:
                self._failures_dropped += 1


def _values_size(values: Sequence[bytes | None]) -> int:
    per_record = RECORD_OVERHEAD // 2
    try:
        return BATCH_OVERHEAD + per_record * len(values) + sum(map(len, values))  # type: ignore[arg-type]
    except TypeError:
        return BATCH_OVERHEAD + per_record * len(values) + sum(len(value) for value in values if value is not None)
