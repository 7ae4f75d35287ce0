from __future__ import annotations

import os
import random

import pytest

from moldau import records
from moldau.environment import Disk
from moldau.environment.memory.disk import MemoryDisk
from moldau.storage import CorruptLog, Log, LogSettings
from tests.storage.stored import TINY, append, everything, fill, values

ONE_SEGMENT = LogSettings(index_interval_bytes=150)


def memory() -> MemoryDisk:
    disk = MemoryDisk()
    disk.make_directory("/data")
    return disk


def files_of(disk: Disk, directory: str) -> dict[str, bytes]:
    return {name: disk.read_file(os.path.join(directory, name)) for name in disk.list(directory)}


def put(disk: Disk, path: str, data: bytes) -> None:
    file = disk.open(path, create=True)
    file.truncate(0)
    file.append((data,))
    file.release()


def segments(disk: Disk, directory: str) -> list[str]:
    return [os.path.join(directory, name) for name in disk.list(directory) if name.endswith(".log")]


def recover(disk: Disk, *, recovery_point: int = 0, clean: bool = False, settings: LogSettings = TINY) -> Log:
    return Log.open(disk, "/data/a-0", settings, recovery_point=recovery_point, clean=clean)


@pytest.mark.parametrize("clean", [True, False])
def test_reopening_changes_nothing(place: tuple[Disk, str], clean: bool) -> None:
    disk, root = place
    directory = os.path.join(root, "a-0")
    log = Log.open(disk, directory, TINY)
    fill(log, 50, epoch=1)
    fill(log, 50, epoch=4)
    before = (everything(log), log.start_offset, log.end_offset, log.epochs.entries())
    log.close()
    files = files_of(disk, directory)
    again = Log.open(disk, directory, TINY, clean=clean, recovery_point=before[2] if clean else 0)
    assert (everything(again), again.start_offset, again.end_offset, again.epochs.entries()) == before
    assert again.synced_offset == again.end_offset
    assert (again.recovered.cut_bytes, again.recovered.scanned_bytes) == (0, 0 if clean else len(before[0]))
    again.close()
    assert files_of(disk, directory) == files


def test_every_torn_end_is_cut_and_nothing_else() -> None:
    disk = memory()
    log = recover(disk, settings=ONE_SEGMENT)
    stored = fill(log, 6)
    end = log.end_offset - records.read_header(stored[-1]).record_count
    whole, last = b"".join(stored[:-1]), stored[-1]
    path = segments(disk, "/data/a-0")[0]
    log.abandon()
    for torn in range(len(last)):
        for tail in (last[:torn], last[:torn] + bytes(len(last) - torn)):
            put(disk, path, whole + tail)
            again = recover(disk, recovery_point=end, settings=ONE_SEGMENT)
            if whole + tail == b"".join(stored):
                continue
            assert (everything(again), again.end_offset) == (whole, end)
            assert again.recovered.cut_bytes == len(tail)
            append(again, b"goes on")
            assert values(again)[-1] == (end, b"goes on")
            again.abandon()


def test_recovery_is_idempotent() -> None:
    draw = random.Random(7)
    for _ in range(40):
        disk = memory()
        log = recover(disk)
        fill(log, 40, epoch=2)
        log.abandon()
        name = draw.choice(segments(disk, "/data/a-0"))
        data = bytearray(disk.read_file(name))
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        put(disk, name, bytes(data))
        first = recover(disk)
        once = (everything(first), first.end_offset, first.epochs.entries(), dict(files_of(disk, "/data/a-0")))
        first.abandon()
        second = recover(disk)
        twice = (everything(second), second.end_offset, second.epochs.entries(), dict(files_of(disk, "/data/a-0")))
        assert once == twice  # D3
        assert second.recovered.cut_bytes == 0


@pytest.mark.parametrize("flipped", [0, 8, 12, 16, 17, 23, 30, 57, 61, 70])
def test_damage_below_the_recovery_point_is_refused(flipped: int) -> None:
    disk = memory()
    log = recover(disk)
    fill(log, 40)
    end = log.end_offset
    log.abandon()
    path = segments(disk, "/data/a-0")[-1]
    data = bytearray(disk.read_file(path))
    if flipped == 12:
        data[8] ^= 0x7F  # the length, wildly
    else:
        data[flipped] ^= 0x10
    put(disk, path, bytes(data))
    files = files_of(disk, "/data/a-0")
    with pytest.raises(CorruptLog, match="another replica"):
        recover(disk, recovery_point=end)
    assert {name: data for name, data in files_of(disk, "/data/a-0").items() if name.endswith(".log")} == {
        name: data for name, data in files.items() if name.endswith(".log")
    }


def test_the_same_damage_above_the_recovery_point_is_cut_with_all_after_it() -> None:
    disk = memory()
    log = recover(disk)
    fill(log, 40)
    before = values(log)
    log.abandon()
    path = segments(disk, "/data/a-0")[2]
    base = int(os.path.basename(path)[:20])
    data = bytearray(disk.read_file(path))
    second = records.read_header(data).size
    data[second + 70] ^= 1
    put(disk, path, bytes(data))
    cut = records.read_header(data, second).base_offset
    again = recover(disk, recovery_point=base)
    assert values(again) == before[:cut]
    assert again.recovered.cut_at_offset == cut
    assert again.recovered.reason == "the CRC is wrong"
    assert segments(disk, "/data/a-0")[-1] == path
    assert max(int(name[:20]) for name in disk.list("/data/a-0") if name.endswith(".snapshot")) <= cut


def test_a_segment_that_lost_synced_batches_from_its_end_is_refused() -> None:
    disk = memory()
    log = recover(disk)
    fill(log, 40)
    log.abandon()
    path, following = segments(disk, "/data/a-0")[3:5]
    data = disk.read_file(path)
    put(disk, path, data[: records.read_header(data).size])
    base = int(os.path.basename(following)[:20])
    with pytest.raises(CorruptLog, match="missing"):
        recover(disk, recovery_point=base - 1)


def test_segments_after_a_lost_name_are_cut() -> None:
    disk = memory()
    log = recover(disk)
    fill(log, 40)
    before = values(log)
    log.abandon()
    lost = segments(disk, "/data/a-0")[3]
    disk.remove(lost)
    again = recover(disk)
    assert again.end_offset == int(os.path.basename(lost)[:20])
    assert values(again) == before[: again.end_offset]
    assert again.recovered.cut_at_offset == again.end_offset


@pytest.mark.parametrize("field", ["offset", "epoch"])
@pytest.mark.parametrize("bit", range(0, 31, 3))
def test_an_offset_or_epoch_that_leaps_is_damage(field: str, bit: int) -> None:
    """Neither is covered by the CRC."""
    disk = memory()
    log = recover(disk, settings=ONE_SEGMENT)
    stored = fill(log, 9, epoch=5)
    before = values(log)
    log.abandon()
    path = segments(disk, "/data/a-0")[0]
    data = bytearray(disk.read_file(path))
    position = sum(map(len, stored[:4]))
    damaged = records.read_header(data, position)
    at, length = (position, 8) if field == "offset" else (position + 12, 4)
    number = int.from_bytes(data[at : at + length], "big") ^ 1 << bit
    data[at : at + length] = number.to_bytes(length, "big")
    put(disk, path, bytes(data))
    again = recover(disk, settings=ONE_SEGMENT)
    assert again.end_offset == damaged.base_offset
    assert values(again) == before[: damaged.base_offset]
    assert again.epochs.entries() == [(5, 0)]


def test_a_log_that_lost_synced_batches_is_refused() -> None:
    disk = memory()
    log = recover(disk)
    fill(log, 40)
    end = log.end_offset
    log.abandon()
    disk.remove(segments(disk, "/data/a-0")[-1])
    with pytest.raises(CorruptLog, match=f"{end} was reached"):
        recover(disk, recovery_point=end)


@pytest.mark.parametrize("suffix", [".index", ".timeindex"])
@pytest.mark.parametrize("damage", ["missing", "empty", "short", "torn", "zeros", "noise", "swapped"])
def test_indexes_are_rebuilt(suffix: str, damage: str) -> None:
    disk = memory()
    settings = LogSettings(segment_bytes=3000, index_interval_bytes=100)
    log = recover(disk, settings=settings)
    fill(log, 120)
    before, end = values(log), log.end_offset
    times = [log.offset_for_timestamp(stamp) for stamp in range(990, 1000 + end + 9, 13)]
    log.close()
    files = files_of(disk, "/data/a-0")
    noise = random.Random(3)
    for name in [name for name in files if name.endswith(suffix)]:
        path, data = f"/data/a-0/{name}", files[name]
        entry = 8 if suffix == ".index" else 12
        match damage:
            case "missing":
                disk.remove(path)
            case "empty":
                put(disk, path, b"")
            case "short":
                put(disk, path, data[: len(data) // entry // 2 * entry] if suffix == ".index" else b"")
            case "torn":
                put(disk, path, data[:-3])
            case "zeros":
                put(disk, path, bytes(len(data)))
            case "noise":
                put(disk, path, noise.randbytes(len(data)))
            case "swapped":
                put(disk, path, data[entry:] + data[:entry])
    again = recover(disk, settings=settings, clean=True, recovery_point=end)
    for offset in range(0, end, 11):
        assert values(again, offset) == before[offset:]
    assert [again.offset_for_timestamp(stamp) for stamp in range(990, 1000 + end + 9, 13)] == times
    again.close()
    if damage != "swapped":
        assert files_of(disk, "/data/a-0") == files


def test_a_wrong_entry_inside_of_an_index_is_found_when_it_is_used() -> None:
    disk = memory()
    settings = LogSettings(segment_bytes=5000, index_interval_bytes=100)
    log = recover(disk, settings=settings)
    fill(log, 100)
    before, end = values(log), log.end_offset
    log.close()
    path = segments(disk, "/data/a-0")[0].replace(".log", ".index")
    data = bytearray(disk.read_file(path))
    for entry in range(8, len(data) - 8, 8):
        data[entry + 3] += 1  # offsets still grow
    put(disk, path, bytes(data))
    again = recover(disk, settings=settings, clean=True, recovery_point=end)
    for offset in range(0, end, 3):
        assert values(again, offset) == before[offset:]


def test_a_leftover_is_swept() -> None:
    disk = memory()
    log = recover(disk)
    fill(log, 5)
    log.abandon()
    for name in ("leader-epoch-checkpoint.tmp", "00000000000000077777.index", "00000000000000077777.timeindex"):
        put(disk, f"/data/a-0/{name}", b"left")
    recover(disk)
    assert not [name for name in disk.list("/data/a-0") if "77777" in name or name.endswith(".tmp")]


def test_an_unreadable_epoch_file_is_refused() -> None:
    disk = memory()
    log = recover(disk)
    fill(log, 5)
    log.close()
    put(disk, "/data/a-0/leader-epoch-checkpoint", b"0\n2\n0 0\n")
    with pytest.raises(CorruptLog, match="2 entries announced"):
        recover(disk)


def test_a_damaged_snapshot_is_passed_over() -> None:
    disk = memory()
    log = recover(disk)
    for turn in range(40):
        append(log, b"x", producer_id=1, producer_epoch=0, base_sequence=turn)
    end = log.end_offset
    log.close()
    for name in disk.list("/data/a-0"):
        if name.endswith(".snapshot"):
            put(disk, f"/data/a-0/{name}", b"\0" * 20)
    again = recover(disk, clean=True, recovery_point=end)
    producer = again.producers.get(1)
    assert producer is not None
    assert [batch.last_sequence for batch in producer.batches] == [35, 36, 37, 38, 39]
