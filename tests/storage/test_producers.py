from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial

import crc32c
import pytest

from moldau import records
from moldau.environment.memory.disk import MemoryDisk
from moldau.model import ApiError, ErrorCode
from moldau.records import BatchHeader
from moldau.storage import Duplicate, Log, ProducerTable, snapshot
from tests.storage.stored import TINY, append

LAST = 2**31 - 1


def header(sequence: int, count: int = 1, *, epoch: int = 0, producer: int = 7, attributes: int = 0) -> BatchHeader:
    data = records.build(
        [(5000, None, b"", ())] * count, producer_id=producer, producer_epoch=epoch, base_sequence=sequence
    )
    return records.read_header(data)._replace(attributes=attributes)


def table(*stored: BatchHeader) -> ProducerTable:
    """A table that has seen these, one after another from offset 0."""
    producers, offset = ProducerTable(), 0
    for found in stored:
        producers.record(found, offset, 5000)
        offset += found.record_count
    return producers


def refused(check: Callable[[], object]) -> ErrorCode:
    with pytest.raises(ApiError) as error:
        check()
    return error.value.code


def test_sequences_follow_each_other() -> None:
    producers = table(header(0, 3))
    assert producers.check(header(3)) is None
    assert refused(lambda: producers.check(header(4))) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert refused(lambda: producers.check(header(1))) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_an_unknown_producer_may_start_anywhere() -> None:
    assert ProducerTable().check(header(12345)) is None


def test_one_of_the_last_five_is_a_duplicate_and_an_older_one_is_out_of_order() -> None:
    producers = table(*(header(2 * place, 2) for place in range(7)))
    for place in range(2, 7):
        assert producers.check(header(2 * place, 2)) == Duplicate(2 * place, 2 * place + 1, 5000)
        assert refused(partial(producers.check, header(2 * place, 1))) == (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER), (
            "the range must be the same"
        )
    for place in range(2):
        assert refused(partial(producers.check, header(2 * place, 2))) == (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)


def test_the_last_sequence_is_followed_by_zero() -> None:
    producers = table(header(LAST - 1, 2))
    assert refused(lambda: producers.check(header(1))) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert producers.check(header(0)) is None
    across = table(header(LAST - 1, 4))
    assert across.check(header(2)) is None
    assert across.check(header(LAST - 1, 4)) == Duplicate(0, 3, 5000)


def test_epochs_fence() -> None:
    producers = table(header(0, epoch=3))
    assert refused(lambda: producers.check(header(1, epoch=2))) == ErrorCode.INVALID_PRODUCER_EPOCH
    assert refused(lambda: producers.check(header(1, epoch=4))) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert producers.check(header(0, epoch=4)) is None
    producers.record(header(0, epoch=4), 1, 5000)
    assert refused(lambda: producers.check(header(0, epoch=3))) == ErrorCode.INVALID_PRODUCER_EPOCH
    assert producers.check(header(0, epoch=4)) == Duplicate(1, 1, 5000)


def test_a_marker_ends_the_transaction_and_may_raise_the_epoch() -> None:
    producers = table(header(0, attributes=0x10))
    assert refused(lambda: producers.check(header(1))) == ErrorCode.INVALID_TXN_STATE
    assert producers.check(header(1, attributes=0x10)) is None
    producers.record(header(-1, epoch=1, attributes=0x30), 1, 5000)
    assert producers.check(header(0, epoch=1)) is None
    assert refused(lambda: producers.check(header(1, epoch=1))) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_a_coordinators_batches_have_an_epoch_only() -> None:
    producers = table(header(-1, epoch=2))
    assert producers.check(header(-1, epoch=2)) is None
    assert refused(lambda: producers.check(header(-1, epoch=1))) == ErrorCode.INVALID_PRODUCER_EPOCH


def test_idle_producers_expire_but_not_in_a_transaction() -> None:
    producers = table(header(0), header(0, producer=8, attributes=0x10))
    producers.expire(5000)
    assert len(producers) == 2
    producers.expire(5001)
    assert [producer_id for producer_id, _ in producers] == [8]


def test_a_snapshot_has_kafkas_bytes() -> None:
    producers = table(header(LAST, 3, epoch=2, producer=77), header(0, producer=78, attributes=0x10))
    entries = struct.pack(">i", 2)
    entries += struct.pack(">qhiqiqiq", 77, 2, 1, 2, 2, 5000, -1, -1)
    entries += struct.pack(">qhiqiqiq", 78, 0, 0, 3, 0, 5000, -1, 3)
    data = snapshot.encode(producers)
    assert data == struct.pack(">hI", 1, crc32c.crc32c(entries)) + entries
    again = snapshot.decode(data)
    assert again is not None
    assert snapshot.encode(again) == data
    assert again.check(header(LAST, 3, epoch=2, producer=77)) == Duplicate(0, 2, 5000)


def test_a_snapshot_that_is_not_whole_is_none() -> None:
    data = snapshot.encode(table(header(0), header(0, producer=8)))
    for length in range(len(data)):
        assert snapshot.decode(data[:length]) is None
    for place in range(0, len(data), 3):
        assert snapshot.decode(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]) is None


@pytest.mark.parametrize("clean", [True, False])
def test_producers_survive_closing_and_crashing(clean: bool) -> None:
    disk = MemoryDisk()
    disk.make_directory("/data")
    log = Log.open(disk, "/data/a-0", TINY)
    for turn in range(30):
        append(log, b"x", b"y", producer_id=turn % 3, producer_epoch=1, base_sequence=turn // 3 * 2)
    end = log.end_offset
    if clean:
        log.close()
    again = Log.open(disk, "/data/a-0", TINY, clean=clean, recovery_point=end if clean else 0)
    for producer in range(3):
        newest = header(18, 2, epoch=1, producer=producer)
        assert again.producers.check(newest) == Duplicate(54 + 2 * producer, 55 + 2 * producer, 1054 + 2 * producer + 1)
        assert again.producers.check(header(20, epoch=1, producer=producer)) is None
        assert refused(partial(again.producers.check, header(22, epoch=1, producer=producer))) == (
            ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        )
    again.truncate_to(54)
    assert again.producers.check(header(18, 2, epoch=1)._replace(producer_id=0)) is None, "what was cut is forgotten"
