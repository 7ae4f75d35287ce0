"""What may go, told as plain data; and logs that let it go, on two disks and through crashes at every step."""

from __future__ import annotations

import os
from itertools import combinations

import pytest

from moldau.environment import Disk
from moldau.environment.memory.disk import MemoryDisk
from moldau.model import ApiError, ErrorCode, TopicPartition
from moldau.storage import CorruptLog, Identity, Log, LogDirectory, Reason, Retention
from moldau.storage.retention import Stretch, going
from tests.storage.stored import TINY, append, everything, fill, joined, values

AGE, SIZE = Reason.AGE, Reason.SIZE
ORDERS = TopicPartition("orders", 0)
NOW = 10_000
THREE = [Stretch(10, 100, 1000), Stretch(20, 100, 2000), Stretch(30, 100, 3000)]
"""Two closed segments and the active one."""


# ---------------------------------------------------------------------------------------------- decisions


@pytest.mark.parametrize(
    ("retention", "high_watermark", "expected"),
    [
        (Retention(), 30, []),
        (Retention(ms=9000), 30, []),
        (Retention(ms=8999), 30, [AGE]),
        (Retention(ms=7999), 30, [AGE, AGE]),
        (Retention(ms=6999), 30, [AGE, AGE, AGE]),
        (Retention(ms=0), 30, [AGE, AGE, AGE]),
        (Retention(ms=0), 29, [AGE, AGE]),
        (Retention(ms=0), 19, [AGE]),
        (Retention(ms=0), 9, []),
        (Retention(bytes=300), 30, []),
        (Retention(bytes=201), 30, []),
        (Retention(bytes=200), 30, [SIZE]),
        (Retention(bytes=100), 30, [SIZE, SIZE]),
        (Retention(bytes=0), 30, [SIZE, SIZE]),
        (Retention(bytes=0), 19, [SIZE]),
        (Retention(ms=7999, bytes=200), 30, [SIZE, AGE]),
    ],
)
def test_the_oldest_go_by_age_and_by_size(
    retention: Retention, high_watermark: int, expected: list[Reason | None]
) -> None:
    assert going(THREE, retention, NOW, high_watermark) == expected


def test_the_first_that_stays_keeps_all_after_it() -> None:
    young_first = [Stretch(10, 100, 9000), *THREE[1:]]
    assert going(young_first, Retention(ms=5000), NOW, 30) == []  # I1


def test_what_carries_no_time_has_no_age() -> None:
    timeless = [Stretch(10, 100, -1), *THREE[1:]]
    assert going(timeless, Retention(ms=0), NOW, 30) == []  # I4
    assert going(timeless, Retention(bytes=200), NOW, 30) == [SIZE]


def test_an_empty_segment_holds_nothing_back_and_an_empty_log_stays() -> None:
    assert going([Stretch(10, 100, 1000), Stretch(20, 0, -1), Stretch(20, 0, -1)], Retention(ms=0), NOW, 20) == [
        AGE,
        AGE,
    ]
    assert going([Stretch(0, 0, -1)], Retention(ms=0, bytes=0), NOW, 0) == []  # I3


def test_what_lies_below_the_start_goes_with_the_rest() -> None:
    assert going(THREE, Retention(), NOW, 30, start_offset=15) == [None]
    assert going(THREE, Retention(bytes=100), NOW, 30, start_offset=15) == [None, SIZE]
    assert going(THREE, Retention(), NOW, 30, start_offset=30) == [None, None]  # I3


# ---------------------------------------------------------------------------------------------------- logs


def opened(place: tuple[Disk, str]) -> Log:
    disk, root = place
    return Log.open(disk, os.path.join(root, "orders-0"), TINY)


def bases(disk: Disk, directory: str, suffix: str = ".log") -> list[int]:
    return [int(name[:20]) for name in disk.list(directory) if name.endswith(suffix)]


def test_old_segments_go_and_young_ones_stay(place: tuple[Disk, str]) -> None:
    log = opened(place)
    fill(log, 60)
    log.flush()
    before, end = values(log), log.end_offset
    names = bases(place[0], log.directory)
    cut = names[4]
    assert log.expire(Retention(ms=1000), 2000 + cut + 1, end) == [AGE] * 4
    assert (log.start_offset, log.end_offset, log.retirable) == (cut, end, True)
    assert bases(place[0], log.directory) == names, "nothing vanishes before the start is on disk"
    aside = log.retire(cut)
    assert bases(place[0], log.directory) == names[4:]
    assert bases(place[0], log.directory, ".index") == names[4:-1], "the active one has written none yet"
    assert min(bases(place[0], log.directory, ".snapshot")) == cut
    assert {os.path.basename(path)[20:] for path in aside} == {
        ".log.deleted",
        ".index.deleted",
        ".timeindex.deleted",
        ".snapshot.deleted",
    }
    assert all(place[0].exists(path) for path in aside)
    assert values(log, cut) == before[cut:]
    assert (log.retirable, log.retire(cut)) == (False, [])
    assert log.expire(Retention(ms=1000), 2000 + cut + 1, end) == []
    with pytest.raises(ApiError) as refused:
        log.read(cut - 1, end, 1000)
    assert refused.value.code is ErrorCode.OFFSET_OUT_OF_RANGE


def test_a_log_that_is_too_large_keeps_its_youngest(place: tuple[Disk, str]) -> None:
    log = opened(place)
    fill(log, 60)
    log.flush()
    size = log.size
    reasons = log.expire(Retention(bytes=1500), NOW, log.end_offset)
    assert set(reasons) == {SIZE}
    log.retire(log.start_offset)
    assert 1500 <= log.size < 1500 + TINY.segment_bytes < size


def test_nothing_goes_that_is_not_committed(place: tuple[Disk, str]) -> None:
    log = opened(place)
    fill(log, 60)
    log.flush()
    names = bases(place[0], log.directory)
    assert log.expire(Retention(ms=0, bytes=0), 1 << 40, names[2] + 1) == [SIZE] * 2
    assert log.start_offset == names[2]


def test_a_log_all_of_whose_records_are_too_old_rolls_and_goes_on(place: tuple[Disk, str]) -> None:
    log = opened(place)
    fill(log, 30)
    end = log.end_offset
    reasons = log.expire(Retention(ms=1000), 1 << 40, end)
    assert set(reasons) == {AGE}
    assert (log.start_offset, log.end_offset) == (end, end)
    log.flush()
    log.retire(end)
    assert (log.size, bases(place[0], log.directory)) == (0, [end])
    append(log, b"goes on")
    assert values(log, end) == [(end, b"goes on")]
    log.close()
    again = Log.open(place[0], log.directory, TINY, start_offset=end, clean=True, recovery_point=end + 1)
    assert (again.start_offset, values(again, end)) == (end, [(end, b"goes on")])


def test_a_start_inside_of_a_segment_hides_what_is_below(place: tuple[Disk, str]) -> None:
    log = opened(place)
    fill(log, 60)
    log.flush()
    before, end = values(log), log.end_offset
    names = bases(place[0], log.directory)
    inside = names[3] + 2
    log.advance_start(inside)
    log.advance_start(5)
    assert log.start_offset == inside, "it only rises"  # I6
    log.retire(inside)
    assert bases(place[0], log.directory) == names[3:]
    assert values(log, inside) == before[inside:]
    with pytest.raises(ApiError):
        log.read(inside - 1, end, 1000)
    found = log.offset_for_timestamp(0)
    assert found is not None
    assert found[0] == inside
    log.advance_start(end - 1)
    with pytest.raises(ApiError):
        log.read(end - 2, end, 1000)
    assert values(log, end - 1) == before[-1:]
    with pytest.raises(AssertionError):
        log.advance_start(end + 1)


def test_the_last_segment_before_one_that_is_not_on_disk_stays(place: tuple[Disk, str]) -> None:
    log = opened(place)
    fill(log, 30)
    log.flush()
    end = log.end_offset
    log.expire(Retention(ms=0), 1 << 40, end)  # rolls
    log.retire(end)
    assert len(bases(place[0], log.directory)) == 2
    log.flush()
    log.retire(end)
    assert bases(place[0], log.directory) == [end]


def test_a_slice_outlives_its_segment(place: tuple[Disk, str]) -> None:
    log = opened(place)
    stored = fill(log, 60)
    slices = log.read(0, 1, 1 << 20)
    log.expire(Retention(ms=0), 1 << 40, log.end_offset)
    log.flush()
    for path in log.retire(log.start_offset):
        place[0].remove(path)
    assert joined(slices) == stored[0]


def test_retries_are_known_after_older_segments_are_gone(place: tuple[Disk, str]) -> None:
    log = opened(place)
    for sequence in range(40):
        append(log, b"x" * 50, producer_id=7, producer_epoch=0, base_sequence=sequence)
    end = log.end_offset
    log.flush()
    log.advance_start(end - 1)
    log.retire(end - 1)
    log.abandon()
    again = Log.open(place[0], log.directory, TINY, start_offset=end - 1, recovery_point=end)
    producer = again.producers.get(7)
    assert producer is not None
    assert [batch.last_sequence for batch in producer.batches] == [35, 36, 37, 38, 39]


# ------------------------------------------------------------------------------------------------- crashes


def test_any_part_of_a_removal_that_reached_the_disk_leaves_the_same_log() -> None:
    """Names leave one by one, and a power cut may keep any of these steps and lose any other."""
    whole = MemoryDisk()
    log = Log.open(whole, "/orders-0", TINY)
    fill(log, 24)
    log.flush()
    start = bases(whole, "/orders-0")[2] + 1
    log.advance_start(start)
    kept, end = values(log, start), log.end_offset
    files = {name: whole.read_file(f"/orders-0/{name}") for name in whole.list("/orders-0")}
    gone = [os.path.basename(path).removesuffix(".deleted") for path in log.retire(start)]
    assert len(gone) > 6
    for steps in range(len(gone) + 1):
        for done in combinations(gone, steps) if steps in (0, 1, 2, len(gone) - 1, len(gone)) else [gone[:steps]]:
            disk = MemoryDisk()
            disk.make_directory("/orders-0")
            for name, data in files.items():
                aside = f"{name}.deleted" if name in done else name
                disk.replace_file(f"/orders-0/{aside}", data)
            again = Log.open(disk, "/orders-0", TINY, start_offset=start)
            assert (again.start_offset, again.end_offset, values(again, start)) == (start, end, kept), done
            assert again.recovered.cut_bytes == 0
            assert not [name for name in disk.list("/orders-0") if name.endswith(".deleted")]


def test_a_log_that_ends_below_its_start_is_refused() -> None:
    disk = MemoryDisk()
    log = Log.open(disk, "/orders-0", TINY)
    fill(log, 5)
    log.close()
    with pytest.raises(CorruptLog, match="was reached on disk"):
        Log.open(disk, "/orders-0", TINY, start_offset=log.end_offset + 1)


def directory_of(place: tuple[Disk, str]) -> LogDirectory:
    disk, root = place
    return LogDirectory.open(disk, os.path.join(root, "logs"), Identity(1), new_id=lambda: bytes(range(16)))


def test_the_start_survives_a_crash_and_files_that_waited_are_swept(place: tuple[Disk, str]) -> None:
    directory = directory_of(place)
    log = directory.open_log(ORDERS, TINY)
    fill(log, 40)
    log.flush()
    log.advance_start(11)
    assert directory.keep_starts() == {ORDERS: 11}
    aside = log.retire(11)
    directory.remove_files([aside[0], "/nowhere/gone-already"])
    rest = everything(log)
    log.abandon()
    directory._unlock()  # as the end of the process does
    again = directory_of(place)
    found = again.open_log(ORDERS, TINY)
    assert (found.start_offset, everything(found)) == (11, rest)
    assert not [name for name in place[0].list(found.directory) if name.endswith(".deleted")]


def test_a_start_is_written_down_only_as_far_as_the_log_is_on_disk(place: tuple[Disk, str]) -> None:
    directory = directory_of(place)
    log = directory.open_log(ORDERS, TINY)
    fill(log, 4)
    log.flush()
    synced = log.synced_offset
    fill(log, 4)
    log.advance_start(log.end_offset)
    assert directory.keep_starts() == {ORDERS: synced}
    log.flush()
    assert directory.keep_starts() == {ORDERS: log.end_offset}


def test_the_start_of_a_deleted_topic_is_not_taken_for_that_of_its_successor(place: tuple[Disk, str]) -> None:
    directory = directory_of(place)
    other = TopicPartition("other", 0)
    for name in (ORDERS, other):
        log = directory.open_log(name, TINY)
        fill(log, 10)
        log.flush()
        log.advance_start(7)
    directory.keep_starts()
    directory.delete_log(ORDERS, b"\1" * 16)
    append(directory.open_log(ORDERS, TINY), b"anew")
    directory.close()
    again = directory_of(place)
    assert values(again.open_log(ORDERS, TINY)) == [(0, b"anew")]
    assert again.open_log(other, TINY).start_offset == 7


def test_a_failed_rename_fails_the_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = MemoryDisk()
    log = Log.open(disk, "/orders-0", TINY)
    fill(log, 20)
    log.flush()
    log.advance_start(log.end_offset)

    def broken(source: str, target: str) -> None:
        raise OSError(5, "broken", source)

    monkeypatch.setattr(disk, "rename", broken)
    with pytest.raises(ApiError):
        log.retire(log.end_offset)
    for act in (lambda: log.retire(0), lambda: log.expire(Retention(ms=0), NOW, 0)):
        with pytest.raises(ApiError, match="failed earlier"):
            act()
