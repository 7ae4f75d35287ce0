"""One partition's log on one disk.

Who calls: replication and raft on the loop (`append`, `read`, lookups: quick), the committer (`begin_sync`,
`end_sync`), the broker's start and stop off the loop (`open`, `close`). What it never does: assign offsets (batches
come stamped), check records, know of the high watermark, or wait for the device but in `open`, `flush`, `close`,
`truncate_to` and `restart_at`.

I1 Offsets only grow: a batch begins at or above `end_offset`.
I2 `start_offset` ≤ `synced_offset` ≤ `end_offset`; below `synced_offset` every byte and every name is on disk.
I3 The last segment is active and open; at most `_OPEN_CLOSED` others are open besides.
I4 After a failed write or sync nothing is written any more (`health`).
I5 The producers and epochs are those of the batches below `end_offset`.
I6 The start only rises. Whole segments below it leave their names once it is on disk, never before; the active one
   stays.
"""

from __future__ import annotations

import errno
import posixpath
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from moldau.environment import Buffer, Disk, File, FileSlice
from moldau.model import ApiError, ErrorCode, format_uuid
from moldau.records import BatchHeader
from moldau.records.headers import LENGTH_OVERHEAD
from moldau.storage import names, retention, snapshot
from moldau.storage.checkpoints import (
    UnreadableCheckpoint,
    decode_partition_metadata,
    encode_epochs,
    encode_partition_metadata,
)
from moldau.storage.health import CorruptLog, Health
from moldau.storage.index import MAX_SPAN
from moldau.storage.opening import Opened, Recovered, open_segments, restore_producers
from moldau.storage.producers import ProducerTable
from moldau.storage.retention import Reason, Retention, Stretch
from moldau.storage.segment import MisleadingIndex, Segment
from moldau.storage.settings import MAX_SEGMENT_BYTES, LogSettings
from moldau.storage.sync import SyncJob

T = TypeVar("T")

_OPEN_CLOSED = 2
"""Closed segments kept open for readers that lag."""
_MOST_RETIRED = 100
"""Segments that leave their names in one call, so that it stays short."""

_STAMPED = struct.Struct(">qii19xq")
"""What the leader may have rewritten since the header was read: base offset, (length,) leader epoch, max timestamp."""
_stamped = _STAMPED.unpack_from


class Log:
    """Appended to at the end, read from anywhere, synced by the committer."""

    @classmethod
    def open(
        cls,
        disk: Disk,
        directory: str,
        settings: LogSettings,
        *,
        topic_id: bytes | None = None,
        start_offset: int = 0,
        recovery_point: int = 0,
        clean: bool = False,
        health: Health | None = None,
    ) -> Log:
        """Make the log or take it up again; CorruptLog when bytes below the recovery point are damaged."""
        if not disk.is_directory(directory):
            disk.make_directory(directory)
        _check_topic(disk, directory, topic_id)
        opened = open_segments(
            disk, directory, settings, start_offset=start_offset, recovery_point=recovery_point, clean=clean
        )
        return cls(disk, directory, settings, opened, start_offset, health or Health())

    def __init__(
        self, disk: Disk, directory: str, settings: LogSettings, opened: Opened, start_offset: int, health: Health
    ) -> None:
        self.directory = directory
        self.health = health
        self.producers: ProducerTable = opened.producers
        self.epochs = opened.epochs
        self.recovered: Recovered = opened.recovered
        self._disk = disk
        self._segments = opened.segments
        self._bases = [segment.base for segment in opened.segments]
        self._closed_open: list[Segment] = []
        self._active = self._activate(opened.segments[-1])
        self.start_offset = max(start_offset, self._bases[0])
        self.end_offset = self._active.end_offset
        self.synced_offset = self.end_offset
        self._syncing = False
        self._generation = 0
        self._epoch = opened.epochs.latest
        self._epochs_changed = opened.epochs_changed
        self._names_changed = opened.fresh
        self._parent_changed = opened.fresh
        self._rolled_files: list[File] = []
        self._written_paths: list[str] = []
        self.configure(settings)

    # ---------------------------------------------------------------------------------------- appending

    def append(self, batches: Buffer, headers: Sequence[BatchHeader]) -> None:
        """Write whole batches, stamped already, in one write. The headers tell what stamping leaves alone; offsets,
        epoch and time are taken from the bytes."""
        if self.health.error is not None:
            raise self.health.refuse()
        segment = self._active
        size = len(batches)
        base, length, epoch, timestamp = _stamped(batches)
        header = headers[0]
        alone = len(headers) == 1
        if alone:
            assert length + LENGTH_OVERHEAD == size, f"{size} bytes hold a batch of {length + LENGTH_OVERHEAD}"
            end = base + header.last_offset_delta + 1
        else:
            end = _end_of_all(batches, headers)
        assert base >= self.end_offset, f"offset {base} after {self.end_offset}"  # I1
        if segment.size + size > self._segment_bytes or end > segment.end_limit or timestamp > segment.time_limit:
            segment = self._room_for(base, end, size, timestamp)
        try:
            self._write((batches,))
        except OSError as error:
            raise self.health.fail(error) from error  # I4
        if alone:
            segment.add(size, end, timestamp)
            if header.producer_id >= 0:
                self.producers.record(header, base, timestamp)
            if epoch > self._epoch:
                self._begin_epoch(epoch, base)
        else:
            self._add_all(segment, batches, headers)
        self.end_offset = end
        if segment.due:
            self._write_behind(segment)

    def begin_epoch(self, epoch: int) -> None:
        """A leader begins at the end of the log, whether or not it ever writes."""
        if epoch > self._epoch:
            self._begin_epoch(epoch, self.end_offset)

    def configure(self, settings: LogSettings) -> None:
        """Go on with other settings; what is written already stays as it is."""
        self.settings = settings
        self._segment_bytes = settings.segment_bytes
        self._active.configure(settings)

    def _begin_epoch(self, epoch: int, offset: int) -> None:
        self.epochs.assign(epoch, offset)
        self._epoch = epoch
        self._epochs_changed = True

    def _add_all(self, segment: Segment, batches: Buffer, headers: Sequence[BatchHeader]) -> None:
        position = 0
        for header in headers:
            base, _, epoch, timestamp = _stamped(batches, position)
            segment.add(header.size, base + header.last_offset_delta + 1, timestamp)
            if header.producer_id >= 0:
                self.producers.record(header, base, timestamp)
            if epoch > self._epoch:
                self._begin_epoch(epoch, base)
            position += header.size

    def _room_for(self, base: int, end: int, size: int, timestamp: int) -> Segment:
        """The segment to append to: a new one, unless the active one is merely empty."""
        active = self._active
        if end - base > MAX_SPAN or size > MAX_SEGMENT_BYTES:
            raise ApiError(ErrorCode.RECORD_LIST_TOO_LARGE, f"{size} bytes do not fit into any segment")
        if active.size == 0 and end <= active.end_limit:
            return active
        return self._roll(self.end_offset if end - self.end_offset <= MAX_SPAN else base)

    def _roll(self, base: int) -> Segment:
        """Close the active segment and begin another; nothing has changed when its file cannot be opened."""
        closed = self._active
        active = Segment(self._disk, self.directory, base, self.settings)
        try:
            file = active.open_file(create=True)
        except OSError as error:
            raise self.health.unopened(error) from error
        assert file.size() == 0, f"{file.path} was there already"
        try:
            closed.seal_times()
            self._written_paths += closed.write_indexes()
            self._written_paths.append(snapshot.write(self._disk, self.directory, base, self.producers))
        except OSError as error:
            active.remove()
            raise self.health.fail(error) from error  # I4
        assert closed.file is not None  # I3
        closed.file.retain()
        closed.end_offset = base
        self._rolled_files.append(closed.file)
        self._names_changed = True
        self._segments.append(active)
        self._bases.append(base)
        self._activate(active)
        self._keep_open(closed)
        return active

    def _write_behind(self, segment: Segment) -> None:
        try:
            segment.write_indexes()
        except OSError as error:
            raise self.health.fail(error) from error  # I4
        self._names_changed = True

    # ------------------------------------------------------------------------------------------ reading

    def read(self, offset: int, upper_bound: int, max_bytes: int, at_least_one: bool = True) -> list[FileSlice]:
        """Whole batches from the one that holds the offset on: as many as are below the bound and fit, the first one
        even if it does not. The caller releases the slices."""
        segment = self._active
        if offset < segment.ends[0] or offset < self.start_offset:
            return self._read_back(offset, min(upper_bound, self.end_offset), max_bytes, at_least_one)
        if offset >= self.end_offset or offset >= upper_bound:
            if offset > self.end_offset:
                raise self._out_of_range(offset)
            return []
        start, end = segment.recent(offset, upper_bound, max_bytes, at_least_one)
        return [FileSlice(segment.file, start, end - start)] if end > start else []  # type: ignore[arg-type]  # I3

    def offset_for_timestamp(self, timestamp: int) -> tuple[int, int] | None:
        """Offset and timestamp of the first record that is at least as young."""
        for segment in self._segments:
            if segment.newest >= timestamp and segment.end_offset > self.start_offset:
                found = self._reading(segment, lambda there: there.find_timestamp(timestamp, self.start_offset))
                if found is not None:
                    return found
        return None

    @property
    def greatest_timestamp(self) -> int:
        """The largest timestamp of any batch; negative when there is none."""
        return max(segment.newest for segment in self._segments)

    def epoch_end(self, epoch: int) -> tuple[int, int] | None:
        """The largest known epoch not above the one asked for, and where it ended."""
        return self.epochs.end_of(epoch, self.end_offset)

    @property
    def size(self) -> int:
        """Bytes of all segments."""
        return sum(segment.size for segment in self._segments)

    def _read_back(self, offset: int, upper_bound: int, max_bytes: int, at_least_one: bool) -> list[FileSlice]:
        if offset < self.start_offset:
            raise self._out_of_range(offset)
        slices: list[FileSlice] = []
        place = bisect_right(self._bases, offset) - 1
        while offset < upper_bound and place < len(self._segments):
            segment = self._segments[place]
            start, end = self._extent(segment, offset, upper_bound, max_bytes, at_least_one and not slices)
            if end > start:
                slices.append(FileSlice(segment.open_file(), start, end - start))
                max_bytes -= end - start
            if end < segment.size:
                break
            place += 1
            offset = segment.end_offset
        return slices

    def _extent(
        self, segment: Segment, offset: int, upper_bound: int, max_bytes: int, at_least_one: bool
    ) -> tuple[int, int]:
        if segment is self._active and offset >= segment.ends[0]:
            return segment.recent(offset, upper_bound, max_bytes, at_least_one)
        extent = self._reading(segment, lambda there: there.extent(offset, upper_bound, max_bytes, at_least_one))
        return extent or (segment.size, segment.size)

    def _reading(self, segment: Segment, look: Callable[[Segment], T]) -> T:
        """Look into a segment that may have to be brought in."""
        try:
            if segment.file is None:
                segment.bring_in()
                if segment.index.unwritten or segment.stale_indexes:
                    segment.seal_times()
                    segment.write_indexes()
                self._keep_open(segment)
            try:
                return look(segment)
            except MisleadingIndex:
                segment.rebuild()
                if segment is not self._active:
                    segment.seal_times()
                segment.write_indexes()
                return look(segment)
        except CorruptLog as error:
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, str(error)) from error
        except OSError as error:
            raise self.health.unopened(error) from error

    def _keep_open(self, closed: Segment) -> None:
        """I3."""
        self._closed_open.append(closed)
        if len(self._closed_open) > _OPEN_CLOSED:
            self._closed_open.pop(0).put_away()

    def _out_of_range(self, offset: int) -> ApiError:
        return ApiError(
            ErrorCode.OFFSET_OUT_OF_RANGE, f"offset {offset} is not in {self.start_offset} to {self.end_offset}"
        )

    # ------------------------------------------------------------------------------------------ syncing

    @property
    def syncing(self) -> bool:
        """Whether a sync is under way."""
        return self._syncing

    def begin_sync(self) -> SyncJob:
        """Everything that is not on disk yet, to be run elsewhere and brought back by `end_sync`."""
        assert not self._syncing, "a log is synced by one at a time"
        self._syncing = True
        files = self._rolled_files
        if self.end_offset > self.synced_offset:
            active = self._active.open_file()
            active.retain()
            files.append(active)
        directories = [self.directory] if self._names_changed else []
        if self._parent_changed:
            directories.append(posixpath.dirname(self.directory))
        checkpoint = None
        if self._epochs_changed:
            path = posixpath.join(self.directory, names.LEADER_EPOCHS)
            checkpoint = (path, encode_epochs(self.epochs.entries()))
        job = SyncJob(
            self._disk,
            end_offset=self.end_offset,
            generation=self._generation,
            files=files,
            paths=self._written_paths,
            directories=directories,
            checkpoint=checkpoint,
        )
        self._rolled_files, self._written_paths = [], []
        self._names_changed = self._parent_changed = self._epochs_changed = False
        return job

    def end_sync(self, job: SyncJob, error: OSError | None) -> bool:
        """Take the job back; whether everything below its `end_offset` is on disk and still there."""
        self._syncing = False
        job.release()
        if error is not None:
            self.health.fail(error)  # I4
        if self.health.error is not None or job.generation != self._generation:
            return False
        self.synced_offset = job.end_offset  # I2
        return True

    def flush(self) -> None:
        """Sync everything now, on this thread."""
        if self.health.error is not None:
            raise self.health.refuse()
        job = self.begin_sync()
        failure: OSError | None = None
        try:
            job.run()
        except OSError as error:
            failure = error
        if not self.end_sync(job, failure):
            raise self.health.refuse() from failure

    # ---------------------------------------------------------------------------------- letting records go

    def advance_start(self, offset: int) -> None:
        """Show nothing below the offset any more; harmless when the log begins above it already."""
        assert offset <= self.end_offset, f"offset {offset} is not written yet, the log ends at {self.end_offset}"
        self.start_offset = max(self.start_offset, offset)

    def expire(self, limits: Retention, now_ms: int, high_watermark: int) -> list[Reason]:
        """Raise the start above the segments that are too old or too much; why each one goes. They stay until they
        are retired."""
        if self.health.error is not None:
            raise self.health.refuse()
        stretches = [Stretch(segment.end_offset, segment.size, segment.newest) for segment in self._segments]
        reasons = retention.going(stretches, limits, now_ms, high_watermark, self.start_offset)
        if len(reasons) == len(self._segments):
            self._roll(self.end_offset)  # I6
        self.advance_start(self._bases[len(reasons)])
        return [reason for reason in reasons if reason is not None]

    @property
    def retirable(self) -> bool:
        """Whether whole segments lie below the start."""
        return len(self._bases) > 1 and self._bases[1] <= self.start_offset

    def retire(self, kept_start: int) -> list[str]:
        """Rename the oldest whole segments below a start that is on disk; the paths, to be removed later. Slices that
        are being sent keep their files."""
        if self.health.error is not None:
            raise self.health.refuse()
        assert kept_start <= min(self.start_offset, self.synced_offset), f"no log on disk begins at {kept_start}"  # I6
        count = min(bisect_right(self._bases, kept_start) - 1, _MOST_RETIRED)
        if self._bases[count] >= self.synced_offset and (self._names_changed or self._syncing):
            count -= 1  # the name of the one after it, and the producers there, may not be on disk yet
        if count <= 0:
            return []
        gone = self._segments[:count]
        del self._segments[:count], self._bases[:count]
        self._closed_open = [segment for segment in self._closed_open if segment not in gone]
        try:
            aside = [path for segment in gone for path in segment.set_aside()]
            return aside + snapshot.set_aside_below(self._disk, self.directory, self._bases[0])
        except OSError as error:
            raise self.health.fail(error) from error  # I4

    # ------------------------------------------------------------------------------- cutting and closing

    def truncate_to(self, offset: int) -> None:
        """Cut every batch that reaches to the offset or beyond. Lower the recovery point on disk first: what is cut is
        not to be missed. It waits for the device when segments go."""
        assert offset >= self.start_offset, f"offset {offset} lies below the start {self.start_offset}"
        if offset >= self.end_offset:
            return
        with self._cutting():
            keep = max(1, bisect_left(self._bases, offset))
            gone = self._segments[keep:]
            self._drop(gone)
            active = self._activate(self._segments[-1])
            active.truncate(offset)
            self._cut_to(active.end_offset)

    def restart_at(self, offset: int) -> None:
        """Drop everything and go on empty at an offset: the leader's log begins there."""
        with self._cutting():
            self._drop(self._segments)
            active = Segment(self._disk, self.directory, offset, self.settings)
            active.open_file(create=True).truncate(0)
            self._segments.append(active)
            self._bases.append(offset)
            self._activate(active)
            self.start_offset = self.synced_offset = offset
            self.epochs.clear()
            self._epochs_changed = True
            self._cut_to(offset)

    def close(self) -> None:
        """A clean end: everything on disk, the producers' snapshot included. Nothing may be under way."""
        assert not self._syncing, "closed while a sync is under way"
        try:
            if self.health.error is None:
                active = self._active
                active.seal_times()
                self._written_paths += active.write_indexes()
                self._written_paths.append(snapshot.write(self._disk, self.directory, self.end_offset, self.producers))
                self._names_changed = True
                self.flush()
        except OSError as error:
            raise self.health.fail(error) from error
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Let go of the files as they are: the log is to be deleted, or its directory has failed."""
        for segment in self._segments:
            segment.put_away()
        for file in self._rolled_files:
            file.release()
        self._rolled_files = []
        self.health = Health()
        self.health.error = OSError(errno.ESHUTDOWN, "the log is closed", self.directory)

    @contextmanager
    def _cutting(self) -> Iterator[None]:
        if self.health.error is not None:
            raise self.health.refuse()
        self._generation += 1
        try:
            yield
            self._disk.sync_directory(self.directory)
        except OSError as error:
            raise self.health.fail(error) from error  # I4

    def _drop(self, segments: Sequence[Segment]) -> None:
        """The last first: a crash in between leaves a log without a hole."""
        for segment in reversed(list(segments)):
            if segment in self._closed_open:
                self._closed_open.remove(segment)
            segment.remove()
            self._segments.pop()
            self._bases.pop()

    def _activate(self, segment: Segment) -> Segment:
        """Append to what is new or was closed."""
        if segment in self._closed_open:
            self._closed_open.remove(segment)
        if segment.file is None:
            segment.bring_in()
        self._active = segment
        self._write = segment.open_file().append
        return segment

    def _cut_to(self, offset: int) -> None:
        """Everything known of the log follows its new end."""
        self.end_offset = offset
        self.synced_offset = min(self.synced_offset, offset)
        if self.epochs.truncate(offset):
            self._epochs_changed = True
        self._epoch = self.epochs.latest
        snapshot.remove_above(self._disk, self.directory, offset)
        self.producers = restore_producers(self._disk, self.directory, self._segments, offset)  # I5


def _end_of_all(batches: Buffer, headers: Sequence[BatchHeader]) -> int:
    """The offset after several batches."""
    length = sum(header.size for header in headers)
    assert length == len(batches), f"{len(batches)} bytes hold batches of {length}"
    last = headers[-1]
    base: int = _stamped(batches, length - last.size)[0]
    return base + last.last_offset_delta + 1


def _check_topic(disk: Disk, directory: str, topic_id: bytes | None) -> None:
    """The directory is of that topic, and says so."""
    path = posixpath.join(directory, names.PARTITION_METADATA)
    if not disk.exists(path):
        if topic_id is not None:
            disk.replace_file(path, encode_partition_metadata(topic_id))
        return
    try:
        found = decode_partition_metadata(disk.read_file(path))
    except UnreadableCheckpoint as broken:
        raise CorruptLog(path, str(broken)) from broken
    if topic_id is not None and found != topic_id:
        raise ApiError(
            ErrorCode.INCONSISTENT_TOPIC_ID,
            f"{directory} holds records of topic {format_uuid(found)}, not of {format_uuid(topic_id)}",
        )
