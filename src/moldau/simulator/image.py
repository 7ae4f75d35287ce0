"""What rests on one machine's disk: what would survive a power cut, and what was written since, in order.

The disk door reads and changes it; the world cuts its power. It survives the lives of the machine.

K1  A file's bytes are durable once synced. After a power cut it holds the durable bytes and a drawn prefix of the
    writes since, the last of them torn; at times what was torn off reads as zeros, for the length was written first.
K2  A name (made, renamed, removed) is durable once its directory is synced. After a power cut a directory holds the
    durable names and a drawn prefix of the changes since. A rename happens or does not.
K3  Files and directories are drawn one by one: nothing orders them but syncs.
K4  A sync that failed has dropped what it should have written (as kernels do): it is never durable afterwards.
"""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Write:
    """Bytes at a place."""

    position: int
    data: bytes


@dataclass(slots=True)
class Truncate:
    """A new size."""

    size: int


Change = Write | Truncate


class FileNode:
    """One file's content, now and durable."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.data = bytearray()
        self.sync_failed = False
        self._durable = bytearray()
        self._pending: list[Change] = []

    def write(self, position: int, data: bytes) -> None:
        change = Write(position, data)
        _apply(self.data, change)
        self._pending.append(change)

    def truncate(self, size: int) -> None:
        _apply(self.data, Truncate(size))
        self._pending.append(Truncate(size))

    def sync(self) -> None:
        for change in self._pending:
            _apply(self._durable, change)
        self._pending.clear()

    def fail_sync(self) -> None:
        """K4."""
        self.sync_failed = True
        self._pending.clear()

    @property
    def unsynced(self) -> int:
        """How many changes a power cut may take."""
        return len(self._pending)

    def lose_power(self, draw: random.Random) -> bool:
        """K1. Whether a write was torn."""
        kept = _prefix(draw, len(self._pending))
        torn = False
        for change in self._pending[:kept]:
            _apply(self._durable, change)
        if kept < len(self._pending):
            torn = self._tear(draw, self._pending[kept])
        self._pending.clear()
        self.data = bytearray(self._durable)
        self.sync_failed = False
        return torn

    def _tear(self, draw: random.Random, change: Change) -> bool:
        if isinstance(change, Truncate) or len(change.data) < 2:
            return False
        length = draw.randrange(len(change.data))
        if length:
            _apply(self._durable, Write(change.position, change.data[:length]))
        if draw.random() < _ZEROS:
            _apply(self._durable, Write(change.position + length, bytes(len(change.data) - length)))
            return True
        return length > 0


@dataclass(slots=True)
class Rename:
    """One name instead of another."""

    source: str
    target: str


@dataclass(slots=True)
class Link:
    """A new name; None removes it."""

    name: str
    node: FileNode | Directory | None


@dataclass(slots=True)
class Directory:
    """Names, now and durable."""

    names: dict[str, FileNode | Directory] = field(default_factory=dict)
    _durable: dict[str, FileNode | Directory] = field(default_factory=dict)
    _pending: list[Rename | Link] = field(default_factory=list)

    def change(self, change: Rename | Link) -> None:
        _apply_name(self.names, change)
        self._pending.append(change)

    def sync(self) -> None:
        for change in self._pending:
            _apply_name(self._durable, change)
        self._pending.clear()

    def lose_power(self, draw: random.Random) -> None:
        """K2, for this directory alone."""
        del self._pending[_prefix(draw, len(self._pending)) :]
        self.sync()
        self.names = dict(self._durable)


class Image:
    """The disk of one machine."""

    def __init__(self, capacity_bytes: int | None = None) -> None:
        self.capacity_bytes = capacity_bytes
        self.root = Directory()
        self._made = 0

    def new_file(self) -> FileNode:
        self._made += 1
        return FileNode(self._made)

    def lay_out(self, path: str) -> None:
        """A durable directory, as an operator makes it before the first start."""
        here = self.root
        for name in _names(path):
            here.change(Link(name, Directory()))
            here.sync()
            below = here.names[name]
            assert isinstance(below, Directory)
            here = below

    def find(self, path: str) -> FileNode | Directory:
        """FileNotFoundError or NotADirectoryError when it is not there."""
        here: FileNode | Directory = self.root
        for name in _names(path):
            if not isinstance(here, Directory):
                raise _error(errno.ENOTDIR, path)
            if name not in here.names:
                raise _error(errno.ENOENT, path)
            here = here.names[name]
        return here

    def find_directory(self, path: str) -> Directory:
        found = self.find(path)
        if not isinstance(found, Directory):
            raise _error(errno.ENOTDIR, path)
        return found

    def files(self) -> Iterator[tuple[str, FileNode]]:
        """All files with their paths, in the order of their names."""
        yield from _walk("", self.root)

    @property
    def total_bytes(self) -> int:
        return _PLENTY if self.capacity_bytes is None else self.capacity_bytes

    def free_bytes(self) -> int:
        if self.capacity_bytes is None:
            return _PLENTY
        return max(0, self.capacity_bytes - sum(len(file.data) for _, file in self.files()))

    def lose_power(self, draw: random.Random) -> list[str]:
        """K1-K3. The paths of the files in which a write was torn."""
        _lose_names(self.root, draw)
        return [path for path, file in self.files() if file.lose_power(draw)]


def _walk(path: str, directory: Directory) -> Iterator[tuple[str, FileNode]]:
    for name in sorted(directory.names):
        node = directory.names[name]
        if isinstance(node, Directory):
            yield from _walk(f"{path}/{name}", node)
        else:
            yield f"{path}/{name}", node


def _lose_names(directory: Directory, draw: random.Random) -> None:
    directory.lose_power(draw)
    for name in sorted(directory.names):
        node = directory.names[name]
        if isinstance(node, Directory):
            _lose_names(node, draw)


def _apply(data: bytearray, change: Change) -> None:
    if isinstance(change, Truncate):
        data[change.size :] = bytes(max(0, change.size - len(data)))
        return
    if change.position > len(data):
        data += bytes(change.position - len(data))
    data[change.position : change.position + len(change.data)] = change.data


def _apply_name(names: dict[str, FileNode | Directory], change: Rename | Link) -> None:
    if isinstance(change, Rename):
        if change.source in names:
            names[change.target] = names.pop(change.source)
    elif change.node is None:
        names.pop(change.name, None)
    else:
        names[change.name] = change.node


def _prefix(draw: random.Random, length: int) -> int:
    """How many of so many survive: often none, often all, else any number."""
    chance = draw.random()
    if chance < _EXTREME:
        return 0
    return length if chance > 1 - _EXTREME else draw.randint(0, length)


def _names(path: str) -> list[str]:
    if not path.startswith("/"):
        raise _error(errno.EINVAL, path)
    return [name for name in path.split("/") if name]


def _error(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)


_PLENTY = 1 << 40
_EXTREME = 0.25
_ZEROS = 0.2
