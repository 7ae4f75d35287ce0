"""One log directory: whose it is, which partitions it holds, how far each is on disk.

Who calls: the broker, on the loop; `open_log`, `checkpoint` and `room` may run off it. All of them wait for
the device. What it never does: decide which partitions belong here.

I1 One process at a time: the lock is held from `open` to `close`.
I2 The mark of a clean end is gone before anything is written, and made after everything is on disk.
I3 A recovery point on disk never lies above what is on disk: it is lowered before a log is cut, raised after a sync.
   Nor does a start.
I4 Every name found here, and this directory's own, is on disk before a log is opened.
I5 Offsets are gathered and written by one thread at a time: what is written last is what is known last.
"""

from __future__ import annotations

import errno
import posixpath
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from moldau.environment import Disk
from moldau.model import TopicPartition
from moldau.storage import names
from moldau.storage.checkpoints import UnreadableCheckpoint, decode_offsets, encode_offsets
from moldau.storage.health import CorruptLog, Health
from moldau.storage.identity import CleanShutdown, Identity
from moldau.storage.log import Log
from moldau.storage.settings import LogSettings

META_PROPERTIES = "meta.properties"
CLEAN_SHUTDOWN = ".kafka_cleanshutdown"
RECOVERY_POINTS = "recovery-point-offset-checkpoint"
LOG_STARTS = "log-start-offset-checkpoint"
HIGH_WATERMARKS = "replication-offset-checkpoint"
_LOCK = ".lock"
_OUT_OF_REACH = frozenset({errno.EACCES, errno.EPERM, errno.EINVAL, errno.EROFS})
"""Directories above ours that may not be opened, or whose file system has nothing to sync."""

Offsets = dict[TopicPartition, int]


class DirectoryInUse(Exception):  # noqa: N818  (it names the trouble)
    """Another process has the directory."""


class Room(NamedTuple):
    """How large the file system is, and how much of it can still be written."""

    total_bytes: int
    usable_bytes: int


class LogDirectory:
    """An open, locked log directory and its open logs."""

    @classmethod
    def open(
        cls,
        disk: Disk,
        path: str,
        wanted: Identity,
        *,
        new_id: Callable[[], bytes],
        failed: Callable[[OSError], None] | None = None,
    ) -> LogDirectory:
        """Lock it and take its papers; a new directory gets some. `wanted` says who opens (a cluster id of None:
        whatever the directory says, or a new one)."""
        disk.make_directory(path)
        unlock = disk.lock(posixpath.join(path, _LOCK))
        if unlock is None:
            raise DirectoryInUse(f"{path} is in use by another process; stop it or choose another log.dirs")
        try:
            for name in disk.list(path):
                if name.endswith(names.TEMPORARY):
                    disk.remove(posixpath.join(path, name))
            identity = _identify(disk, path, wanted, new_id)
            clean = _take_clean_mark(disk, path)
            _sync_names(disk, path)  # I4
            return cls(disk, path, identity, clean, unlock, Health(failed))
        except BaseException:
            unlock()
            raise

    def __init__(
        self,
        disk: Disk,
        path: str,
        identity: Identity,
        clean: CleanShutdown | None,
        unlock: Callable[[], None],
        health: Health,
    ) -> None:
        self.path = path
        self.identity = identity
        self.clean = clean
        """How the last process ended: None when it did not say."""
        self.health = health
        self.logs: dict[TopicPartition, Log] = {}
        self._disk = disk
        self._unlock = unlock
        self._ceilings: dict[TopicPartition, int] = {}
        """Logs that are being cut, and where."""
        self._changed = 0
        self._writing = threading.Lock()
        self._written: dict[str, frozenset[TopicPartition]] = {}
        self._recovery_points = self._read_offsets(RECOVERY_POINTS)
        self._starts = self._read_offsets(LOG_STARTS)
        self.high_watermarks = self._read_offsets(HIGH_WATERMARKS)
        """As the last process left them."""

    def partitions(self) -> list[TopicPartition]:
        """Which partitions lie here, opened or not."""
        found = (names.partition_of(name) for name in self._subdirectories())
        return sorted(partition for partition in found if partition is not None)

    def room(self) -> Room:
        """How much room there is. It may run off the loop."""
        return Room(self._disk.total_bytes(self.path), self._disk.free_bytes(self.path))

    def open_log(self, partition: TopicPartition, settings: LogSettings, *, topic_id: bytes | None = None) -> Log:
        """Make or recover one partition's log. Several may be opened at once, on different threads. A disk error here
        is one of the directory's: what could not be synced must not be tried again."""
        if self.health.error is not None:
            raise self.health.refuse()
        path = posixpath.join(self.path, names.directory_of(partition))
        known = self._disk.is_directory(path)  # else the operator removed it, and nothing is missing
        try:
            log = Log.open(
                self._disk,
                path,
                settings,
                topic_id=topic_id,
                start_offset=self._starts.get(partition, 0) if known else 0,
                recovery_point=self._recovery_points.get(partition, 0) if known else 0,
                clean=self.clean is not None,
                health=self.health,
            )
        except OSError as error:
            raise self.health.unopened(error) from error
        self.logs[partition] = log
        return log

    def truncate_log(self, partition: TopicPartition, offset: int) -> None:
        """Cut a log, its recovery point first (I3)."""
        self._ceilings[partition] = offset
        self._changed += 1
        self._write_offsets(RECOVERY_POINTS, self._points)
        self.logs[partition].truncate_to(offset)
        del self._ceilings[partition]

    def restart_log(self, partition: TopicPartition, offset: int) -> None:
        """Empty a log and go on at an offset."""
        self._ceilings[partition] = 0
        self._changed += 1
        self._write_offsets(RECOVERY_POINTS, self._points)
        self.logs[partition].restart_at(offset)
        del self._ceilings[partition]

    def delete_log(self, partition: TopicPartition, unique: bytes) -> None:
        """Let go of a log and set its directory aside, to be removed by `remove_set_aside`. What is known of it is
        forgotten first: a topic of the same name may come back at once."""
        log = self.logs.pop(partition)
        log.abandon()
        self._changed += 1
        for name, offsets, known in (
            (RECOVERY_POINTS, self._recovery_points, self._points),
            (LOG_STARTS, self._starts, self._log_starts),
            (HIGH_WATERMARKS, self.high_watermarks, self.high_watermarks.copy),
        ):
            with self._writing:
                forgotten = offsets.pop(partition, None) is not None or partition in self._written.get(name, ())
            if forgotten:
                self._write_offsets(name, known)
        aside = names.deleted_directory_of(partition, unique)
        self._disk.rename(log.directory, posixpath.join(self.path, aside))
        self._disk.sync_directory(self.path)

    def remove_set_aside(self) -> None:
        """Remove what deletions set aside, those of an earlier process included."""
        for name in self._subdirectories():
            if name.endswith(names.DELETED_DIRECTORY):
                self._disk.remove_tree(posixpath.join(self.path, name))

    def checkpoint(self, high_watermarks: dict[TopicPartition, int] | None = None) -> None:
        """Write down how far every open log is on disk, where it starts, and what is committed. It may run off the
        loop: what is cut or deleted meanwhile makes it write again."""
        before = -1
        while before != self._changed:
            before = self._changed
            opened = list(self.logs)
            if high_watermarks is not None:
                marks = {name: high_watermarks[name] for name in opened if name in high_watermarks}
                self._write_offsets(HIGH_WATERMARKS, partial(_joined, self.high_watermarks, marks))
            self._write_offsets(RECOVERY_POINTS, self._points)
            self._write_offsets(LOG_STARTS, self._log_starts)

    def keep_starts(self) -> Offsets:
        """Write down where every log starts; where those start that do not start at 0. It may run off the loop."""
        return self._write_offsets(LOG_STARTS, self._log_starts)

    def remove_files(self, paths: Sequence[str]) -> None:
        """Remove what logs have retired; what went with its directory is gone already. It may run off the loop."""
        for path in paths:
            with suppress(FileNotFoundError):
                self._disk.remove(path)

    def close(self, *, broker_epoch: int = -1, high_watermarks: dict[TopicPartition, int] | None = None) -> None:
        """A clean end, unless the directory failed: then the next process recovers."""
        try:
            for log in self.logs.values():
                log.close()
            if self.health.error is None:
                self.checkpoint(high_watermarks)
                mark = posixpath.join(self.path, CLEAN_SHUTDOWN)
                self._disk.replace_file(mark, CleanShutdown(broker_epoch).encode())  # I2
        finally:
            self._unlock()  # I1

    def _points(self) -> dict[TopicPartition, int]:
        """The recovery points as they may stand on disk (I3)."""
        points = {**self._recovery_points, **{name: log.synced_offset for name, log in list(self.logs.items())}}
        for partition, ceiling in list(self._ceilings.items()):
            points[partition] = min(points[partition], ceiling)
        return points

    def _log_starts(self) -> dict[TopicPartition, int]:
        """The starts as they may stand on disk (I3)."""
        opened = list(self.logs.items())
        starts = {**self._starts, **{name: min(log.start_offset, log.synced_offset) for name, log in opened}}
        return {name: start for name, start in starts.items() if start > 0}

    def _subdirectories(self) -> list[str]:
        return [name for name in self._disk.list(self.path) if self._disk.is_directory(posixpath.join(self.path, name))]

    def _read_offsets(self, name: str) -> dict[TopicPartition, int]:
        path = posixpath.join(self.path, name)
        if not self._disk.exists(path):
            return {}
        try:
            return decode_offsets(self._disk.read_file(path))
        except UnreadableCheckpoint as broken:
            raise CorruptLog(path, str(broken)) from broken

    def _write_offsets(self, name: str, known: Callable[[], Offsets]) -> Offsets:
        with self._writing:  # I5
            if self.health.error is not None:
                raise self.health.refuse()
            offsets = known()
            try:
                self._disk.replace_file(posixpath.join(self.path, name), encode_offsets(offsets))
            except OSError as error:
                raise self.health.fail(error) from error
            self._written[name] = frozenset(offsets)
            return offsets


def _joined(older: Offsets, newer: Offsets) -> Offsets:
    return {**older, **newer}


def _identify(disk: Disk, path: str, wanted: Identity, new_id: Callable[[], bytes]) -> Identity:
    papers = posixpath.join(path, META_PROPERTIES)
    if disk.exists(papers):
        found = Identity.decode(disk.read_file(papers), papers)
        found.check(wanted, papers)
        if found.directory_id is not None:
            return found
        identity = replace(found, directory_id=new_id())
    else:
        identity = wanted.completed(new_id)
    disk.replace_file(papers, identity.encode())
    return identity


def _sync_names(disk: Disk, path: str) -> None:
    """Put the names of this directory's logs, its own and those above it on disk. A process that was killed may have
    made them and synced none, and whoever finds them there cannot know. What is above may be out of reach."""
    disk.sync_directory(path)
    while (parent := posixpath.dirname(path)) != path:
        path = parent
        try:
            disk.sync_directory(path)
        except OSError as error:
            if error.errno not in _OUT_OF_REACH:
                raise


def _take_clean_mark(disk: Disk, path: str) -> CleanShutdown | None:
    """I2."""
    mark = posixpath.join(path, CLEAN_SHUTDOWN)
    if not disk.exists(mark):
        return None
    clean = CleanShutdown.decode(disk.read_file(mark))
    disk.remove(mark)
    disk.sync_directory(path)
    return clean
