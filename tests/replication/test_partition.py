"""A partition's appends, reads and waiters, told as they happen."""

from __future__ import annotations

import pytest

from moldau.model import ApiError, ErrorCode
from moldau.records import decode, read_headers
from moldau.replication import Durability, PartitionSettings
from moldau.replication.partition import AT_HIGH_WATERMARK
from moldau.storage import Reason, Retention
from tests.replication.bench import PAGE_CACHE, Bench, batch

IDEMPOTENT = {"producer_id": 7, "producer_epoch": 0}


def test_batches_are_stamped_with_offset_and_epoch() -> None:
    bench = Bench(PAGE_CACHE)
    assert bench.append(b"a", b"b") == (0, -1, 0, 1, False)
    assert bench.append(b"c") == (2, -1, 0, 2, False)
    headers = read_headers(bench.content())
    assert [(header.base_offset, header.leader_epoch) for header in headers] == [(0, 3), (2, 3)]
    assert [record[3] for record in decode(bench.content())] == [b"a", b"b", b"c"]


def test_several_batches_in_one_append() -> None:
    bench = Bench(PAGE_CACHE)
    first, second = batch(b"a", b"b")[0], batch(b"c")[0]
    both = bytearray(bytes(first) + bytes(second))
    assert bench.partition.append(memoryview(both), read_headers(both), 1).last_offset == 2
    assert [header.base_offset for header in read_headers(bench.content())] == [0, 2]


def test_append_time_is_the_brokers() -> None:
    bench = Bench(PartitionSettings(durability=Durability.PAGE_CACHE, append_time=True))
    assert bench.append(b"a", b"b").append_time_ms == bench.clock.wall_ms()
    assert [record[1] for record in decode(bench.content())] == [bench.clock.wall_ms()] * 2


class TestPageCache:
    def test_it_is_committed_at_once_and_nobody_parks(self) -> None:
        bench = Bench(PAGE_CACHE)
        last_offset = bench.append(b"a").last_offset
        assert bench.partition.high_watermark == 1
        assert bench.park("produce", last_offset) is None
        assert bench.offload.jobs == []
        assert bench.clock.timers == []

    def test_a_parked_fetch_wakes_in_the_append(self) -> None:
        bench = Bench(PAGE_CACHE)
        bench.park_fetch("first")
        bench.partition.cancel(bench.park_fetch("second"))
        bench.park_fetch("third")
        bench.append(b"a")
        bench.append(b"b")
        assert bench.told == [("first", None), ("third", None)]


class TestFsync:
    def test_nothing_is_seen_or_answered_before_the_sync(self) -> None:
        bench = Bench()
        last_offset = bench.append(b"a").last_offset
        bench.park("produce", last_offset)
        bench.park_fetch("fetch")
        assert bench.partition.high_watermark == 0
        assert bench.content() == b""
        assert bench.told == []
        bench.offload.work()
        assert bench.partition.high_watermark == 1
        assert bench.told == [("produce", ErrorCode.NONE), ("fetch", None)]
        assert [record[3] for record in decode(bench.content())] == [b"a"]

    def test_what_gathers_during_a_round_is_answered_by_the_next(self) -> None:
        bench = Bench()
        bench.park("first", bench.append(b"a").last_offset)
        bench.park("second", bench.append(b"b").last_offset)
        bench.park("third", bench.append(b"c").last_offset)
        assert len(bench.offload.jobs) == 1
        bench.offload.work()
        assert bench.told == [("first", ErrorCode.NONE)]
        assert len(bench.offload.jobs) == 1
        bench.offload.work()
        assert [name for name, _ in bench.told] == ["first", "second", "third"]
        assert bench.offload.jobs == []

    def test_a_failed_sync_ends_everything(self) -> None:
        bench = Bench()
        bench.park("produce", bench.append(b"a").last_offset)
        bench.park_fetch("fetch")
        bench.offload.error = OSError(5, "broken")
        bench.offload.work()
        assert bench.told == [("produce", ErrorCode.KAFKA_STORAGE_ERROR), ("fetch", None)]
        assert bench.partition.high_watermark == 0
        with pytest.raises(ApiError) as refused:
            bench.append(b"b")
        assert refused.value.code is ErrorCode.KAFKA_STORAGE_ERROR
        assert bench.partition.read(0, 100).error is ErrorCode.KAFKA_STORAGE_ERROR
        bench.partition.lead(4, (1,))
        assert bench.partition.read(0, 100).error is ErrorCode.KAFKA_STORAGE_ERROR


class TestWaitersThatAct:
    def test_a_woken_fetch_may_park_again_and_append(self) -> None:
        bench = Bench(PAGE_CACHE)
        seen: list[int] = []

        def wake() -> None:
            seen.append(bench.partition.high_watermark)
            if len(seen) < 3:
                bench.partition.park_fetch(wake)
                bench.append(b"more")

        bench.partition.park_fetch(wake)
        bench.append(b"a")
        assert seen == [1, 2, 3]
        bench.append(b"nobody waits")
        assert len(seen) == 3

    def test_an_answered_produce_may_be_followed_at_once(self) -> None:
        bench = Bench()
        bench.partition.await_committed(
            bench.append(b"a").last_offset,
            10**9,
            lambda _: bench.told.append((str(bench.append(b"b").last_offset), None)),
        )
        bench.offload.work()
        assert bench.told == [("1", None)]
        assert bench.partition.high_watermark == 1
        bench.offload.work()
        assert bench.partition.high_watermark == 2


class TestDeadlines:
    def test_each_produce_times_out_by_itself(self) -> None:
        bench = Bench()
        last_offset = bench.append(b"a").last_offset
        bench.park("long", last_offset, 500)
        bench.park("short", last_offset, 100)
        bench.clock.move(99)
        assert bench.told == []
        bench.clock.move(1)
        assert bench.told == [("short", ErrorCode.REQUEST_TIMED_OUT)]
        bench.clock.move(400)
        assert [name for name, _ in bench.told] == ["short", "long"]
        assert bench.clock.timers == []

    def test_one_timer_serves_all_and_a_cancelled_one_is_not_called(self) -> None:
        bench = Bench()
        tokens = [bench.park(str(n), bench.append(b"x").last_offset, 100 + n) for n in range(5)]
        assert len(bench.clock.timers) == 1
        bench.partition.cancel(tokens[0])  # type: ignore[arg-type]
        bench.offload.work()
        bench.offload.work()
        assert [name for name, _ in bench.told] == ["1", "2", "3", "4"]
        bench.clock.move(1_000)
        assert len(bench.told) == 4
        assert bench.clock.timers == []


class TestIdempotence:
    def test_a_repeated_batch_is_answered_with_its_offset(self) -> None:
        bench = Bench()
        first = bench.append(b"a", b"b", **IDEMPOTENT, base_sequence=0)
        again = bench.append(b"a", b"b", **IDEMPOTENT, base_sequence=0)
        assert (again.base_offset, again.last_offset, again.duplicate) == (first.base_offset, 1, True)
        assert bench.log.end_offset == 2
        bench.park("again", again.last_offset)
        bench.offload.work()
        assert bench.told == [("again", ErrorCode.NONE)]

    def test_a_gap_is_refused(self) -> None:
        bench = Bench(PAGE_CACHE)
        bench.append(b"a", **IDEMPOTENT, base_sequence=0)
        with pytest.raises(ApiError) as refused:
            bench.append(b"b", **IDEMPOTENT, base_sequence=5)
        assert refused.value.code is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        assert bench.log.end_offset == 1

    def test_a_duplicate_may_wait_for_less_than_others(self) -> None:
        bench = Bench()
        early = bench.append(b"a", **IDEMPOTENT, base_sequence=0)
        bench.park("late", bench.append(b"b", **IDEMPOTENT, base_sequence=1).last_offset)
        bench.park("early", bench.append(b"a", **IDEMPOTENT, base_sequence=0).last_offset)
        assert early.last_offset == 0
        bench.offload.work()
        assert bench.told == [("early", ErrorCode.NONE)]


class TestAcks:
    def test_too_few_in_sync_refuse_all_and_take_one(self) -> None:
        bench = Bench(PartitionSettings(min_insync_replicas=2))
        with pytest.raises(ApiError) as refused:
            bench.append(b"a", acks=-1)
        assert refused.value.code is ErrorCode.NOT_ENOUGH_REPLICAS
        assert bench.log.end_offset == 0
        bench.append(b"a", acks=1)
        bench.append(b"b", acks=0)
        assert bench.log.end_offset == 2

    def test_settings_may_change_meanwhile(self) -> None:
        bench = Bench()
        bench.park("produce", bench.append(b"a").last_offset)
        bench.partition.configure(PartitionSettings(min_insync_replicas=2))
        bench.offload.work()
        assert bench.told == [("produce", ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND)]

    def test_no_other_acks(self) -> None:
        with pytest.raises(ApiError) as refused:
            Bench().append(b"a", acks=2)
        assert refused.value.code is ErrorCode.INVALID_REQUIRED_ACKS


class TestReads:
    @pytest.mark.parametrize(
        ("offset", "error"),
        [(-1, 1), (0, 0), (2, 0), (3, 0), (4, 0), (5, 1)],
    )
    def test_range(self, offset: int, error: int) -> None:
        bench = Bench()
        bench.append(b"a", b"b", b"c")
        bench.offload.work()
        bench.append(b"not yet synced")
        read = bench.partition.read(offset, 1000)
        assert (read.error, read.high_watermark, read.last_stable_offset, read.log_start_offset) == (error, 3, 3, 0)
        assert (read.bytes > 0) == (0 <= offset < 3)
        for part in read.slices:
            part.release()

    def test_epochs_are_fenced(self) -> None:
        bench = Bench(PAGE_CACHE)
        bench.append(b"a")
        assert bench.partition.read(0, 1000, leader_epoch=2).error is ErrorCode.FENCED_LEADER_EPOCH
        assert bench.partition.read(0, 1000, leader_epoch=4).error is ErrorCode.UNKNOWN_LEADER_EPOCH
        assert bench.partition.read(0, 1000, leader_epoch=3).error is ErrorCode.NONE
        bench.partition.lead(4, (1,))
        assert bench.partition.read(0, 1000, leader_epoch=3).error is ErrorCode.FENCED_LEADER_EPOCH
        bench.append(b"b")
        assert [header.leader_epoch for header in read_headers(bench.content())] == [3, 4]

    def test_an_epoch_ends_where_the_next_begins(self) -> None:
        bench = Bench(PAGE_CACHE)
        partition = bench.partition
        assert [partition.epoch_end(epoch) for epoch in (-1, 2, 3, 4)] == [(-1, -1), (2, 0), (3, 0), (-1, -1)]
        bench.append(b"a", b"b")
        assert [partition.epoch_end(epoch) for epoch in (2, 3)] == [(2, 0), (3, 2)]
        partition.lead(6, (1,))
        assert [partition.epoch_end(epoch) for epoch in (3, 5, 6)] == [(3, 2), (3, 2), (6, 2)]
        bench.append(b"c")
        assert [partition.epoch_end(epoch) for epoch in (3, 5, 6, 7)] == [(3, 2), (3, 2), (6, 3), (-1, -1)]

    def test_at_least_one_batch_or_none(self) -> None:
        bench = Bench(PAGE_CACHE)
        bench.append(b"x" * 500)
        bench.append(b"y" * 500)
        assert len(read_headers(bench.content(0, 10))) == 1
        assert bench.partition.read(0, 10, at_least_one=False).bytes == 0


class TestTheEnd:
    def test_closing_tells_everybody(self) -> None:
        bench = Bench()
        bench.park("produce", bench.append(b"a").last_offset)
        bench.park_fetch("fetch")
        bench.partition.close()
        assert bench.told == [("produce", ErrorCode.NOT_LEADER_OR_FOLLOWER), ("fetch", None)]
        assert bench.partition.read(0, 100).error is ErrorCode.NOT_LEADER_OR_FOLLOWER
        with pytest.raises(ApiError) as refused:
            bench.append(b"b")
        assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER
        bench.offload.work()
        assert len(bench.told) == 2
        assert all(timer.callback is None for timer in bench.clock.timers)

    def test_leading_again_takes_up_what_is_on_disk(self) -> None:
        bench = Bench()
        bench.append(b"a")
        bench.partition.close()
        bench.offload.work()
        bench.partition.lead(4, (1,))
        assert bench.partition.high_watermark == 1

    def test_leading_again_syncs_what_is_not_on_disk(self) -> None:
        bench = Bench()
        bench.append(b"a")
        bench.partition.close()
        bench.partition.lead(4, (1,))
        assert bench.partition.high_watermark == 0
        bench.offload.work()
        bench.offload.work()
        assert bench.partition.high_watermark == 1


def test_records_are_deleted_up_to_the_high_watermark_and_no_further() -> None:
    bench = Bench(PAGE_CACHE)
    bench.append(*[b"v"] * 5)
    assert bench.partition.high_watermark == 5
    for offset in (6, -2):
        with pytest.raises(ApiError, match="not committed") as refused:
            bench.partition.delete_before(offset)
        assert refused.value.code is ErrorCode.OFFSET_OUT_OF_RANGE
    bench.partition.delete_before(2)
    assert bench.partition.read(1, 100).error is ErrorCode.OFFSET_OUT_OF_RANGE
    assert bench.partition.read(2, 100).log_start_offset == 2
    bench.partition.delete_before(AT_HIGH_WATERMARK)
    assert bench.log.start_offset == 5  # A5


def test_what_is_not_committed_does_not_expire_and_who_does_not_lead_decides_nothing() -> None:
    bench = Bench()
    bench.append(*[b"v"] * 5)
    limits, far = Retention(ms=0), 1 << 42
    assert bench.partition.expire(limits, far) == []
    assert bench.log.start_offset == 0
    bench.offload.work()
    assert bench.partition.expire(limits, far) == [Reason.AGE]  # A5
    assert bench.log.start_offset == 5
    bench.partition.close()
    assert bench.partition.expire(limits, far) == []
    with pytest.raises(ApiError) as refused:
        bench.partition.delete_before(0)
    assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER
