"""The disk door of one life of one machine, with the faults that were set for it.

Handed to the node in its environment. Every change is a point at which the power may be cut (`cut_in`): the call
then unwinds with `PowerCut`, and so does every later one. What the files hold afterwards is the image's business.
"""

from __future__ import annotations

import errno
import os
import random
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moldau.environment.doors import Buffer
from moldau.simulator.errors import Broken, PowerCut
from moldau.simulator.image import Directory, FileNode, Image, Link, Rename
from moldau.simulator.loop import SimulatedLoop
from moldau.simulator.node import Node


@dataclass(slots=True)
class DiskFaults:
    """What this machine's disk does next. Counts run down at each change; None never happens."""

    sync_ns: tuple[int, int] = (50_000, 3_000_000)
    slow_sync_ns: int = 1_500_000_000
    slow_sync_chance: float = 0.0
    cut_in: int | None = None
    fail_write_in: int | None = None
    fail_sync_in: int | None = None
    fail_read_in: int | None = None


class SimulatedDisk:
    """The disk door."""

    def __init__(
        self,
        loop: SimulatedLoop,
        node: Node,
        image: Image,
        faults: DiskFaults,
        draw: random.Random,
        locks: dict[str, Node],
    ) -> None:
        self._loop = loop
        self._node = node
        self._image = image
        self._draw = draw
        self._locks = locks
        self._cost_ns = 0
        self.faults = faults
        self.open_files = 0
        self.errors = 0
        """How many errors it gave on purpose."""

    # --------------------------------------------------------------------------------------- names

    def open(self, path: str, *, create: bool = False, writable: bool = True) -> SimulatedFile:
        self.enter("open", path)
        directory, name = self._place(path)
        if name not in directory.names and create:
            self.change("create", path)
            directory.change(Link(name, self._image.new_file()))
        found = self._image.find(path)
        if isinstance(found, Directory):
            raise _error(errno.EISDIR, path)
        self.open_files += 1
        return SimulatedFile(self, path, found, writable)

    def exists(self, path: str) -> bool:
        self.enter("exists", path)
        try:
            self._image.find(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def is_directory(self, path: str) -> bool:
        return self.exists(path) and isinstance(self._image.find(path), Directory)

    def list(self, directory: str) -> list[str]:
        self.enter("list", directory)
        return sorted(self._image.find_directory(directory).names)

    def make_directory(self, path: str) -> None:
        self.enter("mkdir", path)
        here, walked = self._image.root, ""
        for name in path.strip("/").split("/"):
            walked += "/" + name
            if name not in here.names:
                self.change("mkdir", walked)
                here.change(Link(name, Directory()))
            here = self._image.find_directory(walked)

    def rename(self, source: str, target: str) -> None:
        self.change("rename", source)
        directory, name = self._place(source)
        target_directory, target_name = self._place(target)
        if name not in directory.names:
            raise _error(errno.ENOENT, source)
        if directory is not target_directory:
            raise _error(errno.EXDEV, f"{source} -> {target}: rename within one directory")
        standing = directory.names.get(target_name)
        if isinstance(standing, Directory) and standing.names:
            raise _error(errno.ENOTEMPTY, target)
        directory.change(Rename(name, target_name))

    def remove(self, path: str) -> None:
        self.change("remove", path)
        directory, name = self._place(path)
        found = self._image.find(path)
        if isinstance(found, Directory):
            raise _error(errno.EISDIR, path)
        directory.change(Link(name, None))

    def remove_tree(self, path: str) -> None:
        found = self._image.find_directory(path)
        for name in sorted(found.names):
            below = f"{path}/{name}"
            if isinstance(found.names[name], Directory):
                self.remove_tree(below)
            else:
                self.remove(below)
        self.change("rmdir", path)
        directory, name = self._place(path)
        directory.change(Link(name, None))

    def sync_directory(self, path: str) -> None:
        self.change("sync", path)
        directory = self._image.find_directory(path)
        self._wait_for_sync(path)
        directory.sync()

    # --------------------------------------------------------------------------------- whole files

    def read_file(self, path: str) -> bytes:
        file = self.open(path, writable=False)
        try:
            return file.read(0, file.size())
        finally:
            file.release()

    def replace_file(self, path: str, data: bytes) -> None:
        beside = f"{path}.tmp"
        file = self.open(beside, create=True)
        try:
            file.truncate(0)
            file.append([data])
            file.sync()
        finally:
            file.release()
        self.rename(beside, path)
        self.sync_directory(os.path.dirname(path))

    def free_bytes(self, path: str) -> int:
        return self._image.free_bytes()

    def total_bytes(self, path: str) -> int:
        return self._image.total_bytes

    def lock(self, path: str) -> Callable[[], None] | None:
        self.open(path, create=True).release()
        holder = self._locks.get(path)
        if holder is not None and holder.alive:
            return None
        self._locks[path] = self._node
        return lambda: self._unlock(path)

    def _unlock(self, path: str) -> None:
        if self._locks.get(path) is self._node:
            del self._locks[path]

    # -------------------------------------------------------------------------------------- faults

    def take_cost_ns(self) -> int:
        """How long the calls since the last question have waited for the disk."""
        cost_ns, self._cost_ns = self._cost_ns, 0
        return cost_ns

    def enter(self, what: str, path: str) -> None:
        """Every call begins here."""
        if self._node.power_cut or not self._node.alive:
            raise PowerCut(self._node.label)
        self._loop.trace.note(self._loop.now_ns, self._node.label, f"{what} {path}")

    def change(self, what: str, path: str) -> None:
        """Every change begins here: the power may be cut before it, so after the one before it."""
        self.enter(what, path)
        faults = self.faults
        if faults.cut_in is not None:
            faults.cut_in -= 1
            if faults.cut_in < 0:
                faults.cut_in = None
                self._node.power_cut = True
                raise PowerCut(self._node.label)

    def write(self, file: FileNode, path: str, position: int, data: bytes) -> None:
        self.change(f"write {position}+{len(data)}#{zlib.crc32(data):08x}", path)
        if self._fails("fail_write_in"):
            file.write(position, data[: self._draw.randint(0, len(data))])
            raise _error(errno.EIO, path)
        growth = position + len(data) - len(file.data)
        if growth > 0 and growth > self._image.free_bytes():
            file.write(position, data[: self._image.free_bytes()])
            raise _error(errno.ENOSPC, path)
        file.write(position, data)

    def read(self, file: FileNode, path: str, position: int, length: int) -> bytes:
        self.enter(f"read {position}+{length}", path)
        if self._fails("fail_read_in"):
            raise _error(errno.EIO, path)
        return bytes(file.data[position : position + length])

    def sync(self, file: FileNode, path: str) -> None:
        self.change("sync", path)
        if file.sync_failed:
            self._loop.find(Broken(f"P10: {path} was synced again after its sync had failed"))
            raise _error(errno.EIO, path)
        self._wait_for_sync(path)
        if self._fails("fail_sync_in"):
            file.fail_sync()
            raise _error(errno.EIO, path)
        file.sync()

    def _fails(self, fault: str) -> bool:
        """Whether this count has run down; it does not begin again."""
        count: int | None = getattr(self.faults, fault)
        if count is None:
            return False
        setattr(self.faults, fault, count - 1 if count > 0 else None)
        self.errors += count == 0
        return count == 0

    def _wait_for_sync(self, path: str) -> None:
        if self._draw.random() < self.faults.slow_sync_chance:
            self._cost_ns += self._draw.randrange(self.faults.slow_sync_ns)
        else:
            self._cost_ns += self._draw.randint(*self.faults.sync_ns)

    def _place(self, path: str) -> tuple[Directory, str]:
        return self._image.find_directory(os.path.dirname(path)), os.path.basename(path)


class SimulatedFile:
    """One open file. Used after its last release it raises EBADF."""

    def __init__(self, disk: SimulatedDisk, path: str, node: FileNode, writable: bool) -> None:
        self.path = path
        self._disk = disk
        self._node = node
        self._writable = writable
        self._broken = False
        self._users = 1

    def size(self) -> int:
        self._check()
        self._disk.enter("size", self.path)
        return len(self._node.data)

    def append(self, parts: Sequence[Buffer]) -> int:
        position = len(self._node.data)
        self._write(position, b"".join(parts))
        return position

    def read(self, position: int, length: int) -> bytes:
        self._check()
        return self._disk.read(self._node, self.path, position, length)

    def write_at(self, position: int, data: Buffer) -> None:
        self._write(position, bytes(data))

    def truncate(self, size: int) -> None:
        self._check(writing=True)
        self._disk.change(f"truncate {size}", self.path)
        self._node.truncate(size)

    def sync(self) -> None:
        self._check()
        self._disk.sync(self._node, self.path)

    def retain(self) -> None:
        assert self._users > 0, "a closed file cannot be retained"
        self._users += 1

    def release(self) -> None:
        assert self._users > 0, "released more often than retained"
        self._users -= 1
        if self._users == 0:
            self._disk.open_files -= 1

    def _write(self, position: int, data: bytes) -> None:
        self._check(writing=True)
        try:
            self._disk.write(self._node, self.path, position, data)
        except OSError:
            self._broken = True
            raise

    def _check(self, *, writing: bool = False) -> None:
        if self._users < 1 or (writing and not self._writable):
            raise _error(errno.EBADF, self.path)
        if writing and self._broken:
            raise _error(errno.EIO, self.path)


def _error(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)
