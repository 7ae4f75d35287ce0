"""One partition's log on one disk.

Who calls: replication and raft on the loop (`append`, `read`, lookups: quick), the committer (`begin_sync`, `end_sync`),
the broker's start and stop off the loop (`open`, `close`). What it never does: assign offsets (batches come stamped),
check records, know of the high watermark, or wait for the device outside of `open`, `flush`, `close`, `truncate_to`.

I1 Offsets only grow: a batch begins at or above `end_offset`.
I2 `start_offset` ≤ `synced_offset` ≤ `end_offset`; below `synced_offset` every byte and every name is on disk.
I3 The last segment is active and open; at most `_OPEN_CLOSED` others are open besides.
I4 After a failed write or sync nothing is written any more (`health`).
I5 The producers and epochs are those of the batches below `end_offset`.
"""

from __future__ import annotations

import posixpath
import struct
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from moldau.environment import Buffer, Disk, File, FileSlice
from moldau.model import ApiError, ErrorCode
from moldau.records import BatchHeader
from moldau.storage import names, snapshot
from moldau.storage.checkpoints import (
    UnreadableCheckpoint,
    decode_partition_metadata,
    encode_epochs,
    encode_partition_metadata,
)
from moldau.storage.health import CorruptLog, Health
from moldau.storage.index import MAX_SPAN, OFFSET_ENTRY_BYTES, TIME_ENTRY_BYTES
from moldau.storage.opening import Opened, Recovered, open_segments, restore_producers
from moldau.storage.producers import ProducerTable
from moldau.storage.segment import Segment
from moldau.storage.settings import MAX_SEGMENT_BYTES, LogSettings
from moldau.storage.sync import SyncJob

_OPEN_CLOSED = 2
"""Closed segments kept open for readers that lag."""

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
        self.settings = settings
        self.health = health
        self.producers: ProducerTable = opened.producers
        self.epochs = opened.epochs
        self.recovered: Recovered = opened.recovered
        self._disk = disk
        self._segments = opened.segments
        self._bases = [segment.base for segment in opened.segments]
        self._active = opened.segments[-1]
        self._closed_open: list[Segment] = []
        self.start_offset = max(start_offset, self._bases[0])
        self.end_offset = self._active.end_offset
        self.synced_offset = self.end_offset
        self._syncing = False
        self._generation = 0
        self._epochs_changed = opened.epochs_changed
        self._names_changed = opened.fresh
        self._parent_changed = opened.fresh
        self._rolled_files: list[File] = []
        self._written_paths: list[str] = []
        self._segment_bytes = settings.segment_bytes
        self._index_entries = settings.segment_index_bytes // OFFSET_ENTRY_BYTES
        self._time_entries = settings.segment_index_bytes // TIME_ENTRY_BYTES - 1

    # ---------------------------------------------------------------------------------------- appending

    def append(self, batches: Buffer, headers: Sequence[BatchHeader]) -> None:
        """Write whole batches, stamped already, in one write. The headers tell what stamping leaves alone; offsets,
        epoch and time are taken from the bytes."""
        if self.health.error is not None:
            raise self.health.refuse()
        segment = self._active
        size = len(batches)
        base, _, epoch, timestamp = _stamped(batches)
        assert base >= self.end_offset, f"offset {base} after {self.end_offset}"  # I1
        if (
            segment.size + size > self._segment_bytes
            or timestamp - segment.first_timestamp > self.settings.segment_ms
            or len(segment.index.offsets) >= self._index_entries
            or len(segment.times.offsets) >= self._time_entries
            or base + size - segment.base > MAX_SPAN
        ):
            segment = self._room_for(base, batches, headers)
        assert segment.file is not None
        try:
            segment.file.append((batches,))
        except OSError as error:
            raise self.health.fail(error) from error  # I4
        position = 0
        for header in headers:
            if position:
                base, _, epoch, timestamp = _stamped(batches, position)
            length = header.batch_length + 12
            end = base + header.last_offset_delta + 1
            segment.add(length, end, timestamp)
            if header.producer_id >= 0:
                self.producers.record(header, base)
            if epoch > self.epochs.latest:
                self._epochs_changed = self.epochs.assign(epoch, base)
            position += length
        assert position == size, f"headers tell of {position} bytes, {size} were written"
        self.end_offset = segment.end_offset
        if len(segment.index.unwritten) >= 4096:
            self._write_behind()
