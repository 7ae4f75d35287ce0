"""From what lies on disk to a log that can be appended to: loading after a clean end, recovery after any other.

Who calls: `Log.open`, off the loop, because it may read much and it syncs. What it never does: cut bytes that were
known to be on disk, or guess.

R1 After a clean end nothing is scanned but what the indexes do not tell.
R2 After any other end every batch from the segment of the recovery point on is read and its CRC checked.
R3 The first bad batch at or above the recovery point was never promised to anyone: it and all after it are cut.
R4 A bad batch below the recovery point, or a log that ends below it, is corruption: refused, nothing is changed.
R5 Recovering what was recovered changes nothing (D3), and on return everything kept is synced.
R6 A segment wholly below the start offset was given up, and so were those beside it that are missing: it goes first.
"""

from __future__ import annotations

import posixpath
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from moldau.environment import Disk
from moldau.storage import names, snapshot
from moldau.storage.checkpoints import UnreadableCheckpoint, decode_epochs
from moldau.storage.epochs import Epochs
from moldau.storage.health import CorruptLog
from moldau.storage.producers import ProducerTable
from moldau.storage.scan import CheckedScan
from moldau.storage.segment import Segment
from moldau.storage.settings import LogSettings


@dataclass(slots=True)
class Recovered:
    """What opening had to do."""

    scanned_bytes: int = 0
    cut_bytes: int = 0
    cut_at_offset: int | None = None
    reason: str | None = None


@dataclass(slots=True)
class Opened:
    """Everything a log starts from; the last segment is brought in."""

    segments: list[Segment]
    epochs: Epochs
    epochs_changed: bool
    producers: ProducerTable
    recovered: Recovered
    fresh: bool
    """No segment was there: the names made now are not synced yet."""


def open_segments(
    disk: Disk, directory: str, settings: LogSettings, *, start_offset: int, recovery_point: int, clean: bool
) -> Opened:
    """Load or recover the log in a directory; CorruptLog when R4 forbids."""
    opened = _find(disk, directory, settings, start_offset)
    recovery_point = max(recovery_point, start_offset)  # a start is written down once all below it is on disk
    try:
        if not opened.fresh and not (clean and _load(opened)):
            _recover(opened, recovery_point, disk, directory, dense=settings.dense)
        end = opened.segments[-1].end_offset
        if end < recovery_point:
            raise CorruptLog(directory, f"the log ends at offset {end}, but {recovery_point} was reached on disk")  # R4
    except BaseException:
        for segment in opened.segments:
            segment.put_away()
        raise
    if opened.epochs.truncate(end):
        opened.epochs_changed = True
    snapshot.remove_above(disk, directory, end)
    return opened


def restore_producers(disk: Disk, directory: str, segments: Sequence[Segment], at_offset: int) -> ProducerTable:
    """The producers as they stand before an offset: the last snapshot, and what was stored after it."""
    from_offset, producers = snapshot.latest(disk, directory, at_offset) or (0, ProducerTable())
    for segment in segments:
        if segment.end_offset <= from_offset or segment.base >= at_offset:
            continue
        closed = segment.file is None
        segment.open_file()
        for _, header in segment.scan((-1, 0) if closed else segment.index.entry_for(from_offset)):
            if header.base_offset >= at_offset:
                break
            if header.producer_id >= 0 and header.base_offset >= from_offset:
                producers.record(header, header.base_offset, header.max_timestamp)
        if closed:
            segment.put_away()
    return producers


def _find(disk: Disk, directory: str, settings: LogSettings, start_offset: int) -> Opened:
    """The segments by their names, unopened but for their sizes."""
    bases = _kept_bases(disk, directory, settings, start_offset)
    listed = disk.list(directory)
    fresh = not bases
    segments = [Segment(disk, directory, base, settings) for base in bases or [start_offset]]
    for segment, following in pairwise(segments):
        segment.size = segment.open_file().size()
        segment.end_offset = following.base
        segment.put_away()
    segments[-1].size = segments[-1].open_file(create=fresh).size()
    for name in listed:
        if _left_over(name, bases):
            disk.remove(posixpath.join(directory, name))
    return Opened(segments, _read_epochs(disk, directory), False, ProducerTable(), Recovered(), fresh)


def _kept_bases(disk: Disk, directory: str, settings: LogSettings, start_offset: int) -> list[int]:
    """Where segments begin; those below the start are removed (R6)."""
    bases = [base for name in disk.list(directory) if (base := names.offset_of(name, names.LOG)) is not None]
    kept = max(bisect_right(bases, start_offset) - 1, 0)
    for base in bases[:kept]:
        Segment(disk, directory, base, settings).remove()
    return bases[kept:]


def _left_over(name: str, bases: Sequence[int]) -> bool:
    if name.endswith((names.TEMPORARY, names.DELETED)):
        return True
    indexed = (names.offset_of(name, suffix) for suffix in (names.OFFSET_INDEX, names.TIME_INDEX))
    return any(base is not None and base not in bases for base in indexed)


def _read_epochs(disk: Disk, directory: str) -> Epochs:
    path = posixpath.join(directory, names.LEADER_EPOCHS)
    if not disk.exists(path):
        return Epochs()
    try:
        return Epochs(decode_epochs(disk.read_file(path)))
    except UnreadableCheckpoint as broken:
        raise CorruptLog(path, str(broken)) from broken


def _load(opened: Opened) -> bool:
    """R1. False when the last segment is not what a clean end leaves."""
    *closed, active = opened.segments
    _check_indexes(closed)
    try:
        active.bring_in()
    except CorruptLog:
        return False
    opened.producers = restore_producers(active.disk, active.directory, opened.segments, active.end_offset)
    return True


def _check_indexes(segments: Sequence[Segment]) -> None:
    """Rebuild the index files of closed segments where they are missing or misshapen."""
    for segment in segments:
        if not segment.peek_indexes():
            segment.bring_in()
            segment.seal_times()
            segment.write_indexes()
            segment.put_away()


def _recover(opened: Opened, recovery_point: int, disk: Disk, directory: str, *, dense: bool) -> None:
    """R2, R3, R4."""
    segments = opened.segments
    first = next(
        (i for i, segment in enumerate(segments[:-1]) if segment.end_offset > recovery_point), len(segments) - 1
    )
    _check_indexes(segments[:first])
    opened.producers = restore_producers(disk, directory, segments[:first], segments[first].base)
    if opened.epochs.truncate(segments[first].base):  # the batches themselves tell of the rest
        opened.epochs_changed = True
    for place in range(first, len(segments)):
        whole = _recover_segment(opened, segments[place], recovery_point)
        if not whole or (dense and _hole_after(opened, place, recovery_point)):
            _cut_after(opened, place)
            break
    for segment in segments[first:]:
        _finish(segment, active=segment is segments[-1])
    disk.sync_directory(directory)  # R5


def _recover_segment(opened: Opened, segment: Segment, recovery_point: int) -> bool:
    """Take the segment's batches in, and cut its bad end; whether there was none."""
    file = segment.open_file()
    size, following = file.size(), segment.end_offset
    segment.forget_batches()
    segment.stale_indexes = True
    scan = CheckedScan(file, size, base=segment.base)
    epochs, producers = opened.epochs, opened.producers
    for _, header in scan:
        segment.add(header.size, scan.offset, header.max_timestamp)
        if header.producer_id >= 0:
            producers.record(header, header.base_offset, header.max_timestamp)
        if header.leader_epoch > epochs.latest:
            opened.epochs_changed = epochs.assign(header.leader_epoch, header.base_offset)
    recovered = opened.recovered
    recovered.scanned_bytes += scan.position
    if scan.problem is None:
        if scan.offset < min(recovery_point, following):  # R4
            raise CorruptLog(
                segment.path(names.LOG),
                f"the batches from offset {scan.offset} on are missing, but {recovery_point} was reached on disk",
            )
        return True
    if scan.offset < recovery_point:  # R4
        raise CorruptLog(
            segment.path(names.LOG),
            f"{scan.problem} at position {scan.position} (offset {scan.offset}), "
            f"below offset {recovery_point}, which was reached on disk",
        )
    file.truncate(scan.position)  # R3
    recovered.cut_bytes += size - scan.position
    recovered.cut_at_offset = scan.offset
    recovered.reason = scan.problem
    return False


def _hole_after(opened: Opened, place: int, recovery_point: int) -> bool:
    """Whether the name of the next segment was lost: unsynced ones begin where the last one ends (R3)."""
    end, following = opened.segments[place].end_offset, opened.segments[place + 1 : place + 2]
    if not following or following[0].base == end or end < recovery_point:
        return False
    opened.recovered.cut_at_offset = end
    opened.recovered.reason = f"no segment begins at offset {end}"
    return True


def _cut_after(opened: Opened, place: int) -> None:
    """Remove the segments after a cut one, the last first: a crash in between leaves a log without a hole."""
    for segment in reversed(opened.segments[place + 1 :]):
        opened.recovered.cut_bytes += segment.size
        segment.remove()
    del opened.segments[place + 1 :]


def _finish(segment: Segment, *, active: bool) -> None:
    if not active:
        segment.seal_times()
    paths = segment.write_indexes()
    segment.open_file().sync()  # R5
    for path in paths:
        file = segment.disk.open(path)
        file.sync()
        file.release()
    if not active:
        segment.put_away()
