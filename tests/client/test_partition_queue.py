"""One partition's batches on their way out: order, sequence numbers, retries (scenarios)."""

from __future__ import annotations

from moldau.client.errors import BrokerUnavailable, DeliveryTimedOut, MoldauError, RecordTooLarge, broker_error
from moldau.client.outgoing import OutgoingBatch
from moldau.client.partition_queue import PartitionQueue, QueueLimits
from moldau.client.sequences import Stamp, advance
from moldau.model import ErrorCode
from moldau.records import build_values, crc32c, decode, read_header

IDEMPOTENT = QueueLimits(idempotent=True, in_flight=5, retry_backoff_ms=100, retry_backoff_max_ms=1_000)
PLAIN = QueueLimits(idempotent=False, in_flight=5, retry_backoff_ms=100, retry_backoff_max_ms=1_000)


class Scene:
    """A queue, batches by name, and a broker that keeps what it accepts, as Kafka's leaders do."""

    def __init__(self, limits: QueueLimits = IDEMPOTENT) -> None:
        self.queue = PartitionQueue("t", 0, limits)
        self.queue.leader = 1
        if limits.idempotent:
            self.queue.identify(7, 0)
        self.now_ms = 0
        self.names: dict[int, str] = {}
        self.log: list[str] = []
        self.expected = Stamp(7, 0, 0)

    def push(self, *names: str, count: int = 1, deadline_ms: int = 10_000) -> list[OutgoingBatch]:
        batches = []
        for name in names:
            data = build_values([name.encode()] * count, 0)
            batch = OutgoingBatch(None, "t", 0, data, 0, deadline_ms)  # type: ignore[arg-type]
            batch.count = count
            self.names[id(batch)] = name
            self.queue.push(batch)
            batches.append(batch)
        return batches

    def take(self) -> list[OutgoingBatch]:
        """Everything that can be sent now."""
        taken = []
        while self.queue.sendable(self.now_ms):
            taken.append(self.queue.take())
        return taken

    def names_of(self, batches: list[OutgoingBatch]) -> str:
        return " ".join(self.names[id(batch)] for batch in batches)

    def broker(self, batch: OutgoingBatch) -> ErrorCode:
        """What a leader says of the batch's bytes: it appends the next in order and nothing else."""
        assert batch.data is not None
        header = read_header(batch.data)
        stamp = Stamp(header.producer_id, header.producer_epoch, header.base_sequence)
        assert header.crc == crc32c(memoryview(batch.data)[21:])
        if stamp.epoch > self.expected.epoch and stamp.sequence == 0:
            self.expected = stamp
        if stamp != self.expected:
            return ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        self.log += [bytes(row[3] or b"").decode() for row in decode(batch.data)]
        self.expected = stamp._replace(sequence=advance(stamp.sequence, header.record_count))
        return ErrorCode.NONE

    def deliver(self, batch: OutgoingBatch) -> None:
        """The batch reaches the broker, and its answer this side."""
        code = self.broker(batch)
        if code is ErrorCode.NONE:
            self.queue.written(batch, len(self.log) - 1, -1)
        else:
            self.refuse(batch, broker_error(code, "produce"))

    def refuse(self, batch: OutgoingBatch, failure: MoldauError) -> None:
        self.queue.refused(batch, failure, self.now_ms)


def retriable() -> MoldauError:
    return broker_error(ErrorCode.NOT_LEADER_OR_FOLLOWER, "produce")


def test_five_batches_are_in_flight_with_consecutive_sequences() -> None:
    scene = Scene()
    scene.push(*"abcdefg", count=3)
    taken = scene.take()
    assert scene.names_of(taken) == "a b c d e"
    assert [batch.stamp.sequence for batch in taken] == [0, 3, 6, 9, 12]
    scene.queue.written(taken[0], 0, -1)
    assert scene.names_of(scene.take()) == "f"


def test_without_idempotence_one_batch_is_in_flight_and_has_no_stamp() -> None:
    scene = Scene(PLAIN)
    scene.push("a", "b")
    (first,) = scene.take()
    assert first.stamp == (-1, -1, -1)
    scene.refuse(first, retriable())
    assert scene.take() == []
    scene.now_ms = 100
    assert scene.names_of(scene.take()) == "a"


def test_after_a_failure_the_rest_is_awaited_then_sent_again_in_order() -> None:
    scene = Scene()
    scene.push(*"abcd")
    a, b, c, d = scene.take()
    scene.push("e")
    scene.refuse(a, retriable())
    assert scene.take() == [], "I3: b, c and d are still out"
    scene.deliver(b)
    scene.deliver(c)
    scene.deliver(d)
    assert scene.log == []
    assert scene.take() == [], "the pause has not passed"
    scene.now_ms = 100
    again = scene.take()
    assert scene.names_of(again) == "a b c d e"
    assert [batch.stamp for batch in again[:4]] == [(7, 0, 0), (7, 0, 1), (7, 0, 2), (7, 0, 3)], "I4: same stamps"
    for batch in again:
        scene.deliver(batch)
    assert scene.log == list("abcde")
    assert not scene.queue


def test_what_was_written_though_its_answer_was_lost_is_recognised_by_its_stamp() -> None:
    scene = Scene()
    scene.push("a", "b")
    a, b = scene.take()
    assert scene.broker(a) is ErrorCode.NONE
    for batch in (a, b):
        scene.refuse(batch, BrokerUnavailable("the connection is gone"))
    scene.now_ms = 100
    a, b = scene.take()
    assert a.stamp == (7, 0, 0), "a broker that has it answers with its offset instead of writing it twice"
    scene.queue.written(a, 0, -1)
    scene.deliver(b)
    assert scene.log == ["a", "b"]


def test_a_gap_left_by_a_batch_that_was_given_up_is_closed_with_a_new_epoch() -> None:
    scene = Scene()
    (a,) = scene.push("a", deadline_ms=500)
    scene.push("b", "c")
    scene.take()
    scene.refuse(a, retriable())
    b, c = (batch for batch in scene.queue.unsettled() if batch is not a)
    scene.deliver(b)
    scene.deliver(c)
    scene.now_ms = 500
    assert scene.queue.expire(500) == [a]
    assert isinstance(a.failure, DeliveryTimedOut)
    b, c = scene.take()
    assert b.stamp == (7, 0, 1), "nobody knows yet whether a was written"
    scene.deliver(b)
    scene.deliver(c)
    scene.now_ms = 2_000
    b, c = scene.take()
    assert (b.stamp, c.stamp) == ((7, 1, 0), (7, 1, 1))
    scene.deliver(b)
    scene.deliver(c)
    assert scene.log == ["b", "c"]


def test_a_later_batch_out_of_order_does_not_start_a_new_epoch() -> None:
    scene = Scene()
    scene.push("a", "b")
    a, b = scene.take()
    scene.deliver(b)
    scene.deliver(a)
    scene.now_ms = 100
    (b,) = scene.take()
    assert b.stamp == (7, 0, 1)
    scene.deliver(b)
    assert scene.log == ["a", "b"]


def test_a_batch_refused_for_good_is_lost_alone() -> None:
    scene = Scene()
    scene.push("a", "b", "c")
    a, b, c = scene.take()
    scene.refuse(a, broker_error(ErrorCode.MESSAGE_TOO_LARGE, "produce"))
    assert isinstance(a.failure, RecordTooLarge)
    scene.deliver(b)
    scene.deliver(c)
    for pause in (100, 1_000):
        scene.now_ms += pause
        for batch in scene.take():
            scene.deliver(batch)
    assert scene.log == ["b", "c"]
    assert not scene.queue


def test_pauses_grow_with_the_attempts_up_to_a_limit() -> None:
    scene = Scene()
    (batch,) = scene.push("a")
    pauses = []
    for _ in range(6):
        scene.take()
        scene.refuse(batch, retriable())
        wake = scene.queue.wake_at(scene.now_ms)
        assert wake is not None
        pauses.append(wake - scene.now_ms)
        scene.now_ms = wake
    assert pauses == [100, 200, 400, 800, 1_000, 1_000]


def test_a_batch_in_flight_when_its_time_is_over_keeps_its_place_until_it_is_answered() -> None:
    scene = Scene()
    (a,) = scene.push("a", deadline_ms=50)
    scene.push("b")
    scene.take()
    assert scene.queue.expire(50) == [a]
    assert a.settled
    assert scene.queue.expire(60) == []
    assert scene.queue.written(a, 0, -1) is False
    (b,) = scene.queue.unsettled()
    scene.queue.written(b, 1, -1)
    assert (b.base_offset, a.base_offset) == (1, -1)
    assert not scene.queue


def test_a_batch_never_sent_says_why_it_was_given_up() -> None:
    scene = Scene()
    scene.queue.leader = -1
    (a,) = scene.push("a", deadline_ms=50)
    assert scene.queue.wake_at(0) == 50
    scene.queue.expire(50)
    assert "no leader" in str(a.failure)
    assert scene.queue.wake_at(50) is None


def test_giving_up_loses_everything_once() -> None:
    scene = Scene()
    sent, waiting = scene.push("a", "b")
    scene.queue.take()
    failure = BrokerUnavailable("closed")
    assert scene.queue.give_up(failure) == [sent, waiting]
    assert isinstance(waiting.failure, BrokerUnavailable)
    assert waiting.failure is not failure
    assert not scene.queue


def test_an_epoch_that_is_used_up_ends_the_producer() -> None:
    scene = Scene()
    scene.queue._next = Stamp(7, 0x7FFF, 5)
    (a,) = scene.push("a")
    scene.take()
    scene.refuse(a, broker_error(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, "produce"))
    assert "used up its epochs" in str(a.failure)


def test_sequences_wrap_to_zero() -> None:
    assert advance(0x7FFFFFFF, 1) == 0
    assert advance(0x7FFFFFFE, 3) == 1
    assert advance(5, 0) == 5
