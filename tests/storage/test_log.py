from __future__ import annotations

import os
import random

import pytest

from moldau import records
from moldau.environment import Disk
from moldau.model import ApiError, ErrorCode
from moldau.storage import Log, LogSettings
from moldau.storage.index import OffsetIndex
from tests.storage.stored import TINY, append, batch, everything, fill, joined, values

Place = tuple[Disk, str]


def opened(place: Place, settings: LogSettings = TINY, **more: object) -> Log:
    disk, root = place
    return Log.open(disk, os.path.join(root, "t-0"), settings, **more)  # type: ignore[arg-type]


def test_a_new_log_is_empty(place: Place) -> None:
    log = opened(place)
    assert (log.start_offset, log.end_offset, log.synced_offset) == (0, 0, 0)
    assert log.read(0, 10, 100) == []


def test_what_is_appended_is_read(place: Place) -> None:
    log = opened(place)
    stored = fill(log, 40)
    assert everything(log) == b"".join(stored)
    assert len(place[0].list(log.directory)) > 10, "several segments"


def test_every_offset_is_found_in_every_segment(place: Place) -> None:
    log = opened(place)
    fill(log, 60)
    expected = values(log)
    assert [offset for offset, _ in expected] == list(range(log.end_offset))
    for offset in range(log.end_offset):
        assert values(log, offset) == expected[offset:]


def test_a_read_gives_as_many_whole_batches_as_fit(place: Place) -> None:
    log = opened(place)
    stored = fill(log, 60)
    ends: list[int] = []
    for data in stored:
        ends.append((ends[-1] if ends else 0) + len(data))
    for max_bytes in (1, 70, 100, 300, 555, 601, 1500):
        offset = 0
        for place_of, data in enumerate(stored):
            before = ends[place_of] - len(data)
            fitting = max((end for end in ends[place_of:] if end - before <= max_bytes), default=ends[place_of])
            assert joined(log.read(offset, log.end_offset, max_bytes)) == b"".join(stored)[before:fitting]
            offset += records.read_header(data).record_count


def test_a_read_stops_below_the_bound(place: Place) -> None:
    log = opened(place)
    fill(log, 60)
    for bound in range(log.end_offset + 1):
        for offset in range(0, bound, 7):
            found = records.read_headers(joined(log.read(offset, bound, 1 << 20)))
            assert all(header.last_offset < bound for header in found)
            following = found[-1].last_offset + 1 if found else offset
            rest = records.read_headers(joined(log.read(following, log.end_offset, 1))) if following < bound else []
            assert not rest or rest[0].last_offset >= bound


def test_nothing_is_given_when_the_first_batch_does_not_fit_and_need_not(place: Place) -> None:
    log = opened(place)
    fill(log, 60)
    for offset in (0, 50, log.end_offset - 1):
        assert log.read(offset, log.end_offset, 10, at_least_one=False) == []


def test_outside_of_the_log_is_out_of_range(place: Place) -> None:
    log = opened(place, start_offset=5)
    fill(log, 3)
    for offset in (4, log.end_offset + 1):
        with pytest.raises(ApiError) as refused:
            log.read(offset, log.end_offset, 100)
        assert refused.value.code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert log.read(log.end_offset, log.end_offset, 100) == []


def test_several_batches_are_appended_at_once(place: Place) -> None:
    log = opened(place, LogSettings())
    data = batch(0, b"a", b"b") + batch(2, b"c") + batch(3, b"d", b"e")
    log.append(bytearray(data), records.read_headers(data))
    assert log.end_offset == 5
    assert joined(log.read(2, 5, 1 << 20)) == data[len(batch(0, b"a", b"b")) :]


def test_headers_may_be_as_the_producer_sent_them(place: Place) -> None:
    log = opened(place, LogSettings())
    fill(log, 3)
    sent = bytearray(batch(0, b"x", b"y"))
    headers = records.read_headers(sent)
    end = log.end_offset
    records.stamp(sent, 0, end, 7)
    log.append(sent, headers)
    assert log.end_offset == end + 2
    assert log.epoch_end(7) == (7, end + 2)


def test_an_offset_below_the_end_is_a_mistake_of_the_caller(place: Place) -> None:
    log = opened(place)
    fill(log, 3)
    stored = everything(log)
    with pytest.raises(AssertionError):
        log.append(bytearray(batch(0)), records.read_headers(batch(0)))
    assert everything(log) == stored


def test_offsets_may_leave_gaps(place: Place) -> None:
    log = opened(place)
    kept = []
    for offset in (0, 5, 6, 100, 3_000_000_000, 3_000_000_005):
        kept.append(batch(offset))
        log.append(bytearray(kept[-1]), records.read_headers(kept[-1]))
    assert everything(log) == b"".join(kept)
    assert joined(log.read(7, log.end_offset, 1 << 20)) == b"".join(kept[3:])
    assert joined(log.read(101, log.end_offset, 1 << 20)) == b"".join(kept[4:])
    log.close()
    again = opened(place, clean=True, recovery_point=3_000_000_006)
    assert everything(again) == b"".join(kept)


def test_a_segment_rolls_by_time(place: Place) -> None:
    log = opened(place, LogSettings(segment_ms=1000))
    append(log, timestamp=5000)
    append(log, timestamp=6000)
    append(log, timestamp=6001)
    assert [name for name in place[0].list(log.directory) if name.endswith(".log")] == [
        f"{0:020d}.log",
        f"{2:020d}.log",
    ]


def test_a_segment_rolls_when_its_index_is_full(place: Place) -> None:
    log = opened(place, LogSettings(index_interval_bytes=0, segment_index_bytes=80))
    fill(log, 30)
    sizes = [
        len(place[0].read_file(os.path.join(log.directory, name)))
        for name in place[0].list(log.directory)
        if name.endswith("index")
    ]
    assert max(sizes) <= 84, "the last entry of a time index is forced"
    assert len(values(log)) == log.end_offset


def test_index_entries_point_at_batch_starts(place: Place) -> None:
    disk, _ = place
    log = opened(place)
    fill(log, 80)
    log.close()
    checked = 0
    for name in disk.list(log.directory):
        if name.endswith(".index"):
            path = os.path.join(log.directory, name)
            data = disk.read_file(path.replace(".index", ".log"))
            index = OffsetIndex.decode(int(name[:20]), disk.read_file(path), len(data))
            assert index is not None
            for relative, position in zip(index.offsets, index.positions, strict=True):
                assert records.read_header(data, position).last_offset == index.base + relative  # D2
                checked += 1
    assert checked > 20


def test_a_timestamp_is_found(place: Place) -> None:
    log = opened(place)
    random_times = random.Random(1)
    times: list[int] = []
    for _ in range(80):
        stamp = random_times.randrange(1, 3000)
        append(log, b"a", b"b", timestamp=stamp)
        times += [stamp, stamp + 1]
    for again in (False, True):
        if again:
            end = log.end_offset
            log.close()
            log = opened(place, clean=True, recovery_point=end)
        for wanted in range(0, 3100, 37):
            expected = next(((offset, time) for offset, time in enumerate(times) if time >= wanted), None)
            assert log.offset_for_timestamp(wanted) == expected


@pytest.mark.parametrize("cut", range(0, 121, 13))
def test_truncation_cuts_and_goes_on(place: Place, cut: int) -> None:
    log = opened(place)
    fill(log, 30, epoch=1)
    second = log.end_offset
    fill(log, 30, epoch=2)
    before = values(log)
    log.flush()
    log.truncate_to(cut)
    assert cut - 3 < log.end_offset <= cut or log.end_offset == len(before)
    assert log.synced_offset == log.end_offset
    assert values(log) == before[: log.end_offset]
    assert log.epochs.latest == (-1 if log.end_offset == 0 else 1 if log.end_offset <= second else 2)
    fill(log, 20, epoch=3)
    kept = values(log)
    end = log.end_offset
    epochs = log.epochs.entries()
    log.abandon()
    again = opened(place)
    assert (values(again), again.end_offset, again.epochs.entries()) == (kept, end, epochs)


def test_a_log_restarts_at_an_offset(place: Place) -> None:
    log = opened(place)
    fill(log, 20)
    log.restart_at(1000)
    assert (log.start_offset, log.end_offset, log.synced_offset) == (1000, 1000, 1000)
    append(log)
    log.close()
    again = opened(place, clean=True, recovery_point=1001)
    assert (again.start_offset, again.end_offset) == (1000, 1001)


def test_a_directory_of_another_topic_is_refused(place: Place) -> None:
    opened(place, topic_id=b"A" * 16).close()
    opened(place, topic_id=b"A" * 16).close()
    with pytest.raises(ApiError) as refused:
        opened(place, topic_id=b"B" * 16)
    assert refused.value.code == ErrorCode.INCONSISTENT_TOPIC_ID


def test_a_slice_outlives_what_it_is_cut_from(place: Place) -> None:
    log = opened(place)
    stored = fill(log, 20)
    slices = log.read(0, log.end_offset, 1 << 20)
    log.restart_at(500)
    assert joined(slices) == b"".join(stored)
