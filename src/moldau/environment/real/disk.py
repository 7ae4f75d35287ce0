"""The disk door on the operating system's files.

Who calls: storage, raft and the broker's start, through `Environment.disk`. Reads and appends are quick enough for
the loop's thread; whatever waits for the device (`sync`, `replace_file`, `sync_directory`, removal) goes through
offload. What it never does: retry a failed write or sync, map a file into memory, interpret what it stores.

I1 A file's descriptor is open exactly while somebody retains it; counting happens on the loop's thread alone.
I2 After a failed write, truncation or sync the file refuses every further one: what the kernel still holds is unknown.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Sequence
from itertools import count

from moldau.environment.doors import Buffer

_FILE_MODE = 0o600
_DIRECTORY_MODE = 0o700
_PARTS_PER_CALL = 512
"""Buffers handed to the kernel at once; every system takes at least this many but for exotic ones."""

_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)
_write = os.pwrite
_data_sync: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)


class RealFile:
    """One open descriptor and the size of its file, which nobody else changes."""

    __slots__ = ("_broken", "_fd", "_size", "_users", "path")

    def __init__(self, path: str, fd: int, size: int) -> None:
        self.path = path
        self._fd = fd
        self._size = size
        self._users = 1
        self._broken = False

    def size(self) -> int:
        return self._size

    def fileno(self) -> int:
        """The descriptor, for `os.sendfile`; valid while the file is retained."""
        return self._fd

    def append(self, parts: Sequence[Buffer]) -> int:
        if self._broken:
            raise self._refusal()
        position = self._size
        try:
            if len(parts) == 1:
                part = parts[0]
                written = _write(self._fd, part, position)
                if written == len(part):
                    self._size = position + written
                else:
                    self._size = self._write_rest([memoryview(part)[written:]], position + written)
            else:
                self._size = self._write_rest([memoryview(part) for part in parts if len(part)], position)
        except OSError:
            self._broken = True  # I2
            raise
        return position

    def read(self, position: int, length: int) -> bytes:
        data = os.pread(self._fd, length, position)
        if len(data) == length or not data:
            return data
        pieces = [data]
        missing = length - len(data)
        while missing > 0:
            data = os.pread(self._fd, missing, position + length - missing)
            if not data:
                break
            pieces.append(data)
            missing -= len(data)
        return b"".join(pieces)

    def write_at(self, position: int, data: Buffer) -> None:
        if self._broken:
            raise self._refusal()
        try:
            end = self._write_rest([memoryview(data)], position) if len(data) else position
        except OSError:
            self._broken = True  # I2
            raise
        self._size = max(self._size, end)

    def truncate(self, size: int) -> None:
        if self._broken:
            raise self._refusal()
        try:
            os.ftruncate(self._fd, size)
        except OSError:
            self._broken = True  # I2
            raise
        self._size = size

    def sync(self) -> None:
        if self._broken:
            raise self._refusal()
        try:
            _sync_descriptor(self._fd)
        except OSError:
            self._broken = True  # I2
            raise

    def retain(self) -> None:
        assert self._users > 0, "a closed file cannot be retained"  # I1
        self._users += 1

    def release(self) -> None:
        assert self._users > 0, "released more often than retained"  # I1
        self._users -= 1
        if self._users == 0:
            os.close(self._fd)

    def _write_rest(self, parts: list[memoryview], position: int) -> int:
        """Write all of the parts from there on, however little the kernel takes at once; where they end."""
        first = 0
        while first < len(parts):
            written = os.pwritev(self._fd, parts[first : first + _PARTS_PER_CALL], position)
            if written == 0:
                raise OSError(errno.EIO, "the device takes no more bytes", self.path)
            position += written
            while first < len(parts) and written >= len(parts[first]):
                written -= len(parts[first])
                first += 1
            if written:
                parts[first] = parts[first][written:]
        return position

    def _refusal(self) -> OSError:
        return OSError(errno.EIO, "an earlier write or sync of this file failed", self.path)


class RealDisk:
    """The whole file system, by absolute paths."""

    def __init__(self) -> None:
        self._temporaries = count()
        """Two threads may replace one file at once; each then writes a file of its own."""

    def open(self, path: str, *, create: bool = False, writable: bool = True) -> RealFile:
        flags = (os.O_RDWR if writable else os.O_RDONLY) | (os.O_CREAT if create else 0) | os.O_CLOEXEC
        fd = os.open(path, flags, _FILE_MODE)
        try:
            return RealFile(path, fd, os.fstat(fd).st_size)
        except OSError:
            os.close(fd)
            raise

    def exists(self, path: str) -> bool:
        return os.path.exists(path)

    def is_directory(self, path: str) -> bool:
        return os.path.isdir(path)

    def list(self, directory: str) -> list[str]:
        return sorted(os.listdir(directory))

    def make_directory(self, path: str) -> None:
        if not os.path.isdir(path):
            parent = os.path.dirname(path)
            if not os.path.isdir(parent):
                self.make_directory(parent)
            os.mkdir(path, _DIRECTORY_MODE)

    def rename(self, source: str, target: str) -> None:
        os.rename(source, target)

    def remove(self, path: str) -> None:
        os.remove(path)

    def remove_tree(self, path: str) -> None:
        shutil.rmtree(path)

    def sync_directory(self, path: str) -> None:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def read_file(self, path: str) -> bytes:
        with open(path, "rb") as file:
            return file.read()

    def replace_file(self, path: str, data: bytes) -> None:
        temporary = f"{path}.{next(self._temporaries)}.tmp"
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, _FILE_MODE)
        with open(fd, "wb") as file:
            file.write(data)
            file.flush()
            _sync_descriptor(fd)
        os.rename(temporary, path)
        self.sync_directory(os.path.dirname(path))

    def free_bytes(self, path: str) -> int:
        room = os.statvfs(path)
        return room.f_bavail * room.f_frsize

    def total_bytes(self, path: str) -> int:
        room = os.statvfs(path)
        return room.f_blocks * room.f_frsize

    def lock(self, path: str) -> Callable[[], None] | None:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _FILE_MODE)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as refused:
            os.close(fd)
            if refused.errno in (errno.EWOULDBLOCK, errno.EACCES):
                return None
            raise
        return lambda: os.close(fd)


def _sync_descriptor(fd: int) -> None:
    if _FULL_SYNC is not None:  # where fdatasync stops at the drive's own cache
        fcntl.fcntl(fd, _FULL_SYNC)
    else:
        _data_sync(fd)
