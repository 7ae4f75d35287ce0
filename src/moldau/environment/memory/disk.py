"""A faultless disk in memory that behaves as the real one does.

Who calls: tests, and embedded clusters that keep nothing. What it never does: fail, lose or reorder anything
(the simulator has its own disk for that), or copy a file on opening it.

I1 An open file outlives its removal: names point at contents, and a file holds its contents, not its name.
"""

from __future__ import annotations

import errno
import os
import posixpath
from collections.abc import Callable, Sequence

from moldau.environment.doors import Buffer

_PLENTY = 1 << 40


class MemoryFile:
    """One opening of a file's contents."""

    __slots__ = ("_contents", "_users", "_writable", "path")

    def __init__(self, path: str, contents: bytearray, writable: bool) -> None:
        self.path = path
        self._contents = contents
        self._users = 1
        self._writable = writable

    def size(self) -> int:
        return len(self._contents)

    def append(self, parts: Sequence[Buffer]) -> int:
        self._check_writable()
        position = len(self._contents)
        for part in parts:
            self._contents += part
        return position

    def read(self, position: int, length: int) -> bytes:
        return bytes(self._contents[position : position + length])

    def write_at(self, position: int, data: Buffer) -> None:
        self._check_writable()
        contents = self._contents
        if position > len(contents):
            contents.extend(bytes(position - len(contents)))
        contents[position : position + len(data)] = data

    def truncate(self, size: int) -> None:
        self._check_writable()
        contents = self._contents
        if size < len(contents):
            del contents[size:]
        else:
            contents.extend(bytes(size - len(contents)))

    def sync(self) -> None:
        self._check_writable()

    def retain(self) -> None:
        assert self._users > 0, "a closed file cannot be retained"
        self._users += 1

    def release(self) -> None:
        assert self._users > 0, "released more often than retained"
        self._users -= 1

    def _check_writable(self) -> None:
        if not self._writable:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF), self.path)


class MemoryDisk:
    """A tree of directories and files under `/`, gone with the object."""

    def __init__(self) -> None:
        self._files: dict[str, bytearray] = {}
        self._directories: dict[str, None] = {"/": None}
        self._locked: dict[str, None] = {}

    def open(self, path: str, *, create: bool = False, writable: bool = True) -> MemoryFile:
        if path in self._directories:
            raise _error(errno.EISDIR, path)
        contents = self._files.get(path)
        if contents is None:
            if not create:
                raise _error(errno.ENOENT, path)
            self._check_parent(path)
            contents = self._files[path] = bytearray()
        return MemoryFile(path, contents, writable)

    def exists(self, path: str) -> bool:
        return path in self._files or path in self._directories

    def is_directory(self, path: str) -> bool:
        return path in self._directories

    def list(self, directory: str) -> list[str]:
        if directory not in self._directories:
            raise _error(errno.ENOTDIR if directory in self._files else errno.ENOENT, directory)
        return sorted(
            posixpath.basename(path)
            for paths in (self._files, self._directories)
            for path in paths
            if path != "/" and posixpath.dirname(path) == directory
        )

    def make_directory(self, path: str) -> None:
        if path in self._files:
            raise _error(errno.EEXIST, path)
        if path not in self._directories:
            self.make_directory(posixpath.dirname(path))
            self._directories[path] = None

    def rename(self, source: str, target: str) -> None:
        self._check_parent(target)
        if source in self._files:
            if target in self._directories:
                raise _error(errno.EISDIR, target)
            self._files[target] = self._files.pop(source)
        elif source in self._directories:
            self._rename_directory(source, target)
        else:
            raise _error(errno.ENOENT, source)

    def remove(self, path: str) -> None:
        if path in self._directories:
            raise _error(errno.EISDIR, path)
        if self._files.pop(path, None) is None:
            raise _error(errno.ENOENT, path)

    def remove_tree(self, path: str) -> None:
        if path not in self._directories:
            raise _error(errno.ENOTDIR if path in self._files else errno.ENOENT, path)
        for name in self.list(path):
            child = posixpath.join(path, name)
            if child in self._directories:
                self.remove_tree(child)
            else:
                del self._files[child]
        del self._directories[path]

    def sync_directory(self, path: str) -> None:
        if path not in self._directories:
            raise _error(errno.ENOTDIR if path in self._files else errno.ENOENT, path)

    def read_file(self, path: str) -> bytes:
        file = self.open(path, writable=False)
        return file.read(0, file.size())

    def replace_file(self, path: str, data: bytes) -> None:
        self._check_parent(path)
        if path in self._directories:
            raise _error(errno.EISDIR, path)
        self._files[path] = bytearray(data)

    def free_bytes(self, path: str) -> int:
        return _PLENTY

    def total_bytes(self, path: str) -> int:
        return _PLENTY

    def lock(self, path: str) -> Callable[[], None] | None:
        self.open(path, create=True).release()
        if path in self._locked:
            return None
        self._locked[path] = None
        return lambda: self._locked.pop(path)

    def _rename_directory(self, source: str, target: str) -> None:
        if target in self._files:
            raise _error(errno.ENOTDIR, target)
        if target in self._directories and self.list(target):
            raise _error(errno.ENOTEMPTY, target)
        inside = source + "/"
        for path in [path for path in self._files if path.startswith(inside)]:
            self._files[target + path[len(source) :]] = self._files.pop(path)
        for path in [path for path in self._directories if path == source or path.startswith(inside)]:
            del self._directories[path]
            self._directories[target + path[len(source) :]] = None

    def _check_parent(self, path: str) -> None:
        parent = posixpath.dirname(path)
        if parent not in self._directories:
            raise _error(errno.ENOTDIR if parent in self._files else errno.ENOENT, path)


def _error(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)
