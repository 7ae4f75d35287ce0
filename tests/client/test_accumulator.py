"""The producer's buffer: batches fill, linger, leave, and count."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from moldau.client.accumulator import Accumulator, BatchMaking, BufferLimits
from moldau.client.delivery import AsyncDelivery
from moldau.client.errors import BrokerUnavailable, RecordTooLarge, UnknownTopic, broker_error
from moldau.client.outgoing import OutgoingBatch
from moldau.client.partition_queue import QueueLimits
from moldau.client.shared_accumulator import SharedAccumulator
from moldau.model import ErrorCode
from moldau.records import BatchBuilder, Codec, build_values, decode

LIMITS = BufferLimits(
    batch_bytes=1_000, buffer_bytes=10_000, request_bytes=4_000, linger_ms=5, delivery_timeout_ms=1_000
)
QUEUES = QueueLimits(idempotent=True, in_flight=5, retry_backoff_ms=100, retry_backoff_max_ms=1_000)
VALUE = b"v" * 100


class Scene:
    def __init__(self, limits: BufferLimits = LIMITS, kind: Any = Accumulator, leaders: tuple[int, ...] = (1,)) -> None:
        self.now_ms = 0
        making = BatchMaking(lambda limit: BatchBuilder(Codec.NONE, limit), build_values)
        self.buffer: Accumulator[AsyncDelivery] = kind(
            limits, QUEUES, making, AsyncDelivery, None, random.Random(1), lambda: self.now_ms
        )
        self.buffer.learn("t", leaders)
        self.buffer.identify(7, 0)

    def append(
        self, value: bytes | None = VALUE, key: bytes | None = None, partition: int | None = None, topic: str = "t"
    ) -> AsyncDelivery | None:
        return self.buffer.append(topic, value, key, (), partition, 123)

    def taken(self) -> list[OutgoingBatch]:
        """What the sender would send now."""
        batches: list[OutgoingBatch] = []
        for queues in self.buffer.ready(self.now_ms).values():
            while some := self.buffer.take(queues, self.now_ms):
                batches += some
        return batches

    def tick(self, now_ms: int) -> list[OutgoingBatch]:
        self.now_ms = now_ms
        self.buffer.tick(now_ms)
        return self.taken()


@pytest.fixture(params=[Accumulator, SharedAccumulator], ids=["own thread", "two threads"])
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_a_batch_leaves_when_it_has_lingered(kind: Any) -> None:
    scene = Scene(kind=kind)
    deliveries = [scene.append(value) for value in (b"a", b"b", None)]
    assert scene.buffer.attention
    assert scene.buffer.wake_at(0) == 5
    assert scene.tick(4) == []
    assert not scene.buffer.attention
    (batch,) = scene.tick(5)
    assert batch.data is not None
    assert [(row[0], row[1], row[3]) for row in decode(batch.data)] == [(0, 123, b"a"), (1, 123, b"b"), (2, 123, None)]
    assert [(d.batch, d.index) for d in deliveries if d] == [(batch, 0), (batch, 1), (batch, 2)]
    scene.buffer.written(batch, 40, -1)
    assert batch.base_offset == 40
    assert scene.buffer.buffered_bytes == 0
    assert scene.buffer.wake_at(5) is None


def test_a_full_batch_leaves_at_once() -> None:
    scene = Scene()
    while len(scene.taken()) == 0:
        assert scene.append() is not None
        assert scene.now_ms == 0
    assert scene.buffer.wake_at(0) == 5, "the record that did not fit opened the next"


def test_a_batch_that_somebody_waits_for_does_not_linger(kind: Any) -> None:
    scene = Scene(kind=kind)
    delivery = scene.append()
    assert delivery is not None
    assert scene.buffer.hasten(delivery.batch)
    assert scene.taken() == [delivery.batch]
    assert not scene.buffer.hasten(delivery.batch)


def test_what_is_buffered_is_bounded_and_room_comes_back(kind: Any) -> None:
    scene = Scene(kind=kind)
    taken = 0
    while scene.append() is not None:
        taken += 1
        assert scene.buffer.buffered_bytes <= LIMITS.buffer_bytes
    assert 60 <= taken <= 100
    scene.buffer.close_all()
    for batch in scene.taken():
        scene.buffer.written(batch, 0, -1)
    assert scene.append() is not None
    scene.buffer.give_up(BrokerUnavailable("closed"))
    assert scene.buffer.buffered_bytes == 0


def test_open_batches_of_many_partitions_count_in_full() -> None:
    scene = Scene(leaders=(1,) * 50)
    opened = sum(scene.append(b"x", partition=index) is not None for index in range(50))
    assert opened == LIMITS.buffer_bytes // LIMITS.batch_bytes
    scene.buffer.close_all()
    assert scene.buffer.buffered_bytes < 1_000
    assert scene.append(b"x", partition=49) is not None


def test_a_record_larger_than_a_batch_gets_one_of_its_own() -> None:
    scene = Scene()
    delivery = scene.append(b"x" * 3_000)
    assert delivery is not None
    with pytest.raises(RecordTooLarge, match="larger than request_bytes or buffer_bytes"):
        scene.append(b"x" * 5_000)
    scene.buffer.close_all()
    assert [batch.count for batch in scene.taken()] == [1]


def test_keys_choose_the_partition_and_records_without_key_stay_until_the_batch_is_full() -> None:
    scene = Scene(leaders=(1, 1, 1, 1))
    keyed = [scene.append(b"v", key=b"user-7") for _ in range(3)]
    assert len({delivery.batch.partition for delivery in keyed if delivery}) == 1
    plain = [scene.append() for _ in range(30)]
    partitions = [delivery.batch.partition for delivery in plain if delivery]
    changes = sum(first != second for first, second in pairwise(partitions))
    assert 2 <= changes <= 4
    assert len(set(partitions)) > 1


def test_records_without_key_avoid_partitions_without_leader() -> None:
    scene = Scene(leaders=(-1, 1, -1, 1))
    partitions = {delivery.batch.partition for _ in range(60) if (delivery := scene.append())}
    assert partitions == {1, 3}


def test_unknown_topics_and_partitions() -> None:
    scene = Scene()
    assert scene.append(topic="other") is None
    assert not scene.buffer.knows("other")
    with pytest.raises(UnknownTopic, match="has partitions 0 to 0, not 3"):
        scene.append(partition=3)


def test_one_batch_of_each_partition_goes_into_a_request_within_its_size() -> None:
    scene = Scene(leaders=(1,) * 8)
    for index in range(8):
        for _ in range(7):
            scene.append(partition=index)
    scene.buffer.close_all()
    queues = scene.buffer.ready(0)[1]
    first = scene.buffer.take(queues, 0)
    assert [batch.partition for batch in first] == [0, 1, 2, 3]
    second = scene.buffer.take(scene.buffer.ready(0)[1], 0)
    assert [batch.partition for batch in second] == [4, 5, 6, 7], "the one served longest ago goes first"


def test_leaders_move_and_nothing_goes_to_the_old_one() -> None:
    scene = Scene(leaders=(1, 2))
    scene.append(partition=0)
    scene.append(partition=1)
    scene.buffer.close_all()
    assert list(scene.buffer.ready(0)) == [1, 2]
    scene.buffer.forget_leader("t", 0)
    assert list(scene.buffer.ready(0)) == [-1, 2]
    scene.buffer.learn("t", [2, 2, 3])
    assert list(scene.buffer.ready(0)) == [2]
    assert scene.append(partition=2) is not None


def test_nothing_leaves_before_the_producer_has_an_id() -> None:
    scene = Scene()
    making = BatchMaking(lambda limit: BatchBuilder(Codec.NONE, limit), build_values)
    buffer: Accumulator[AsyncDelivery] = Accumulator(
        LIMITS,
        QUEUES,
        making,
        AsyncDelivery,
        None,  # type: ignore[arg-type]
        random.Random(1),
        lambda: scene.now_ms,
    )
    buffer.learn("t", [1])
    buffer.append("t", b"v", None, (), None, 1)
    buffer.close_all()
    assert buffer.ready(0) == {}
    buffer.identify(9, 0)
    assert list(buffer.ready(0)) == [1]


def test_values_become_batches_of_their_own_in_order(kind: Any) -> None:
    scene = Scene(kind=kind)
    scene.append(b"before")
    values = [b"%03d" % index * 10 for index in range(100)]
    taken = 0
    while taken < len(values):
        batch = scene.buffer.append_values("t", values, taken, None, 55)
        assert batch is not None
        assert batch.size <= LIMITS.batch_bytes
        taken += batch.count
    rows = []
    while batches := scene.taken():
        for batch in batches:
            rows += decode(batch.data or b"")
            scene.buffer.written(batch, 0, -1)
    assert [row[3] for row in rows] == [b"before", *values]


def test_values_of_every_size_fit() -> None:
    scene = Scene(BufferLimits(1_000, 100_000, 4_000, 5, 1_000))
    values = [None, b"", b"x" * 900, b"x" * 3_000, b"y", *([b"z" * 100] * 50)]
    taken, counts = 0, []
    while taken < len(values):
        batch = scene.buffer.append_values("t", values, taken, 0, 55)
        assert batch is not None
        counts.append(batch.count)
        taken += batch.count
    assert sum(counts) == len(values)
    assert all(counts)
    with pytest.raises(RecordTooLarge):
        scene.buffer.append_values("t", [b"x" * 5_000], 0, 0, 55)


def test_failures_are_told_once_unless_deliveries_told_them() -> None:
    scene = Scene()
    for value in (b"a", b"b"):
        scene.append(value)
    (batch,) = scene.tick(5)
    scene.buffer.refused(batch, broker_error(ErrorCode.INVALID_RECORD, "produce"), 5)
    failures, dropped = scene.buffer.take_failures()
    assert [failure.code for failure in failures] == [ErrorCode.INVALID_RECORD]
    assert dropped == 0
    assert scene.buffer.take_failures() == ([], 0)
    scene.append(b"c")
    (batch,) = scene.tick(10)
    scene.buffer.refused(batch, broker_error(ErrorCode.INVALID_RECORD, "produce"), 5)
    batch.seen = 1
    assert scene.buffer.take_failures() == ([], 0)


def test_a_batch_is_given_up_when_its_time_is_over() -> None:
    scene = Scene(leaders=(-1,))
    delivery = scene.append()
    assert delivery is not None
    assert list(scene.buffer.ready(0)) == []
    scene.tick(5)
    assert scene.buffer.wake_at(5) == 1_000
    scene.tick(1_000)
    assert delivery.batch.settled
    assert len(scene.buffer.take_failures()[0]) == 1
    assert scene.buffer.wake_at(1_000) is None
