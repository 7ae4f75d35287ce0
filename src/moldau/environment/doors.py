"""The five doors as Protocols. They are handed in at construction; there is no global one.

Who calls: every driver. What they never do: decide anything.

The whole platform runs on one event loop per process, so every callback below runs on that loop's thread,
never inside the call that asked for it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

T = TypeVar("T")

Buffer = bytes | bytearray | memoryview


# ---------------------------------------------------------------------------------------------- clock


class Timer(Protocol):
    """A call that is still to come."""

    def cancel(self) -> None:
        """Never call back; harmless when it already has."""


class Clock(Protocol):
    """Time: monotonic for every timer and deadline, wall only for stamps and retention."""

    def monotonic_ms(self) -> int: ...

    def monotonic_ns(self) -> int: ...

    def wall_ms(self) -> int: ...

    def call_at(self, deadline_ms: int, callback: Callable[[], None]) -> Timer:
        """Call back once `monotonic_ms()` has reached the deadline."""

    async def sleep(self, duration_ms: int) -> None: ...


# --------------------------------------------------------------------------------------------- chance


class Chance(Protocol):
    """Everything drawn: one seeded stream for each purpose, and ids."""

    def stream(self, purpose: str) -> random.Random:
        """The one generator of this purpose (the same object at every call)."""

    def uuid(self) -> bytes:
        """Sixteen bytes, a version-4 UUID that is neither all zero nor one that starts with '-' in text."""


# ----------------------------------------------------------------------------------------------- disk


class File(Protocol):
    """One open file. `retain` and `release` count users, so a slice outlives a deletion."""

    path: str

    def size(self) -> int: ...

    def append(self, parts: Sequence[Buffer]) -> int:
        """Write all parts at the end, return the position of the first byte. OSError marks the file broken."""

    def read(self, position: int, length: int) -> bytes:
        """Up to `length` bytes; fewer at the end of the file."""

    def write_at(self, position: int, data: Buffer) -> None: ...

    def truncate(self, size: int) -> None: ...

    def sync(self) -> None:
        """fdatasync. It may wait long: call it through offload. After an error it is not called again."""

    def retain(self) -> None: ...

    def release(self) -> None:
        """The last release closes the descriptor."""


class FileSlice:
    """Bytes that rest in a file and go out from there; whoever makes one retains the file, whoever is
    done with it calls `release` once."""

    __slots__ = ("file", "length", "position")

    def __init__(self, file: File, position: int, length: int) -> None:
        self.file = file
        self.position = position
        self.length = length
        file.retain()

    def __len__(self) -> int:
        return self.length

    def read(self) -> bytes:
        """The bytes themselves (for TLS, tests and tools)."""
        return self.file.read(self.position, self.length)

    def release(self) -> None:
        self.file.release()


Part = bytes | bytearray | memoryview | FileSlice
"""What an answer is made of."""


def size_of(parts: Sequence[Part]) -> int:
    """How many bytes the parts are in all (each part's `len` must count bytes)."""
    return sum(map(len, parts))


class Disk(Protocol):
    """Paths are plain strings, absolute. Errors are OSError with errno set."""

    def open(self, path: str, *, create: bool = False, writable: bool = True) -> File:
        """The open file, retained once. FileNotFoundError unless it exists or `create`."""

    def exists(self, path: str) -> bool: ...

    def is_directory(self, path: str) -> bool: ...

    def list(self, directory: str) -> list[str]:
        """The names in it, sorted."""

    def make_directory(self, path: str) -> None:
        """With parents; harmless when it is there."""

    def rename(self, source: str, target: str) -> None:
        """Atomic; durable only after `sync_directory`."""

    def remove(self, path: str) -> None: ...

    def remove_tree(self, path: str) -> None: ...

    def sync_directory(self, path: str) -> None:
        """Makes names made, renamed and removed in it durable."""

    def read_file(self, path: str) -> bytes: ...

    def replace_file(self, path: str, data: bytes) -> None:
        """All of the new content or all of the old, durable on return: temporary file, sync, rename, directory sync."""

    def free_bytes(self, path: str) -> int: ...

    def total_bytes(self, path: str) -> int:
        """The size of the file system that the path lies on."""

    def lock(self, path: str) -> Callable[[], None] | None:
        """Take an exclusive lock on a lock file, held till the returned function is called or the process ends;
        None when another process holds it."""


# -------------------------------------------------------------------------------------------- network


class Receiver(Protocol):
    """What a connection tells its owner. Calls never overlap."""

    def buffer(self) -> memoryview:
        """Where the next bytes go: writable, never empty."""

    def received(self, count: int) -> None:
        """That many bytes now stand at the start of the last `buffer()`."""

    def drained(self) -> None:
        """Everything queued for sending has left (told only after `send` had to queue something)."""

    def closed(self, reason: str | None) -> None:
        """The connection is gone, told once, whoever closed it; None is an orderly end."""


class Connection(Protocol):
    """One stream of bytes each way."""

    peer: str
    """`host:port` of the other side, for logs."""

    def send(self, parts: Sequence[Part]) -> None:
        """Send in order, as much at once as the kernel takes, the rest when it can; takes over the slices (and
        releases each when it has left or the connection is gone). Buffers must not change until `drained`."""

    @property
    def queued_bytes(self) -> int:
        """What `send` has taken and the kernel has not."""

    def pause(self) -> None:
        """Do not receive until `resume`."""

    def resume(self) -> None: ...

    def close(self) -> None:
        """Close once what is queued has left or `abort` is called; `closed` follows."""

    def abort(self) -> None:
        """Close now, drop what is queued; `closed` follows."""


Accept = Callable[[Connection], Receiver | None]
"""Given a new connection, its owner, or None to refuse it."""


class Listener(Protocol):
    """One address that takes connections."""

    host: str
    port: int

    def close(self) -> None:
        """Accept no more; connections already accepted live on."""


class Network(Protocol):
    """Listening and connecting."""

    def listen(self, host: str, port: int, accept: Accept) -> Listener:
        """Port 0 takes a free one. OSError when the address cannot be had."""

    async def connect(self, host: str, port: int, attach: Callable[[Connection], Receiver]) -> Connection:
        """OSError when nobody answers."""


# -------------------------------------------------------------------------------------------- offload


class Offload(Protocol):
    """Work that waits (syncs, scans) or computes long in native code, kept off the loop's thread."""

    def submit(self, work: Callable[[], T], done: Callable[[T | None, BaseException | None], None]) -> None:
        """Run it elsewhere; `done(result, None)` or `done(None, error)` is called on the loop."""

    async def run(self, work: Callable[[], T]) -> T: ...


@dataclass(frozen=True, slots=True)
class Environment:
    """All five doors of one node."""

    clock: Clock
    chance: Chance
    network: Network
    disk: Disk
    offload: Offload
