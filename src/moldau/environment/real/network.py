"""Sockets of our own on the loop's readers and writers: no transport, stream, coroutine or task per connection.

Called by the broker's listeners and by the channel through the network door. It knows bytes, never requests.

I1  `Receiver` calls never overlap and never happen inside a call of the owner: what `send`, `close` or `abort`
    bring about is told on a later turn of the loop.
I2  `closed` is told exactly once, after which nothing else is.
I3  every slice handed to `send` is released exactly once.
I4  the writer is registered exactly while something is queued.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol, cast

from moldau.environment.doors import Accept, Buffer, Connection, FileSlice, Part, Receiver, size_of

SEND_BUFFER_BYTES = 400 * 1024
"""The kernel's own choice costs eight parallel readers about half of their rate."""

BACKLOG = 1024
SMALL_SLICE_BYTES = 16 * 1024
"""A slice up to this size is read and leaves in one call with what surrounds it: cheaper than three."""

ACCEPTS_PER_TURN = 64
MOST_BUFFERS = 512
"""Buffers in one sendmsg; the kernel's own limit is 1024."""

_OUT_OF_DESCRIPTORS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_ORDINARY_END = frozenset({errno.ECONNRESET, errno.EPIPE, errno.ETIMEDOUT, errno.ECONNABORTED, errno.ENOTCONN})


class _Descriptor(Protocol):
    """What a real file has beyond the door: a descriptor that the kernel can send from."""

    def fileno(self) -> int: ...


class RealConnection:
    """One socket. Made by `RealNetwork`; `attach` gives it its owner before anything is received."""

    __slots__ = (
        "_closing",
        "_descriptor",
        "_gone",
        "_loop",
        "_owner",
        "_paused",
        "_queue",
        "_queued",
        "_socket",
        "peer",
    )

    def __init__(self, loop: asyncio.AbstractEventLoop, connected: socket.socket, peer: str) -> None:
        self.peer = peer
        self._loop = loop
        self._socket = connected
        self._descriptor = connected.fileno()
        self._owner: Receiver | None = None
        self._queue: deque[Part] = deque()
        self._queued = 0
        self._paused = False
        self._closing = False
        self._gone = False

    def attach(self, owner: Receiver) -> None:
        """Start to receive for this owner."""
        self._owner = owner
        if not self._paused and not self._closing and not self._gone:
            self._loop.add_reader(self._descriptor, self._readable)

    @property
    def queued_bytes(self) -> int:
        return self._queued

    def send(self, parts: Sequence[Part]) -> None:
        if self._gone or self._closing:
            _release(parts)
            return
        if self._queue:
            self._queue.extend(parts)
            self._queued += size_of(parts)
            return
        try:
            if len(parts) == 1 and not isinstance(parts[0], FileSlice):
                self._send_one(parts[0])
            else:
                self._queue.extend(parts)
                self._queued = size_of(parts)
                self._write()
        except (BlockingIOError, InterruptedError):
            pass
        except OSError as broken:
            self._lost(broken)
            return
        if self._queue:
            self._loop.add_writer(self._descriptor, self._writable)  # I4

    def pause(self) -> None:
        if not self._paused:
            self._paused = True
            if not self._gone:
                self._loop.remove_reader(self._descriptor)

    def resume(self) -> None:
        if self._paused:
            self._paused = False
            if self._owner is not None and not self._gone and not self._closing:
                self._loop.add_reader(self._descriptor, self._readable)

    def close(self) -> None:
        if self._gone or self._closing:
            return
        self._closing = True
        self._loop.remove_reader(self._descriptor)
        if not self._queue:
            self._end(None)

    def abort(self) -> None:
        self._end(None)

    def _readable(self) -> None:
        owner = self._owner
        assert owner is not None
        try:
            count = self._socket.recv_into(owner.buffer())
        except (BlockingIOError, InterruptedError):
            return
        except OSError as broken:
            self._lost(broken)
            return
        if count:
            owner.received(count)
        else:
            self.close()

    def _writable(self) -> None:
        try:
            self._write()
        except (BlockingIOError, InterruptedError):
            return
        except OSError as broken:
            self._lost(broken)
            return
        if self._queue:
            return
        self._loop.remove_writer(self._descriptor)
        self._queued = 0
        if self._closing:
            self._end(None)
        elif self._owner is not None:
            self._owner.drained()

    def _send_one(self, buffer: Buffer) -> None:
        try:
            sent = self._socket.send(buffer)
        except (BlockingIOError, InterruptedError):
            sent = 0
        if sent < len(buffer):
            self._queue.append(memoryview(buffer)[sent:])
            self._queued = len(buffer) - sent

    def _write(self) -> None:
        """Send from the front of the queue until it is empty or the kernel takes no more."""
        queue = self._queue
        while queue:
            head = queue[0]
            if isinstance(head, FileSlice) and head.length > SMALL_SLICE_BYTES:
                self._send_slice(head)
            else:
                self._send_buffers()

    def _send_buffers(self) -> None:
        queue = self._queue
        buffers: list[Buffer] = []
        flags = 0
        for at, part in enumerate(queue):
            if isinstance(part, FileSlice):
                if part.length > SMALL_SLICE_BYTES:
                    flags = socket.MSG_MORE
                    break
                part = queue[at] = _taken(part)
            if len(buffers) == MOST_BUFFERS:
                flags = socket.MSG_MORE
                break
            buffers.append(part)
        sent = self._socket.sendmsg(buffers, (), flags)
        self._queued -= sent
        for buffer in buffers:
            length = len(buffer)
            if sent < length:
                queue[0] = memoryview(buffer)[sent:]
                return
            sent -= length
            queue.popleft()

    def _send_slice(self, part: FileSlice) -> None:
        sent = os.sendfile(self._descriptor, cast(_Descriptor, part.file).fileno(), part.position, part.length)
        self._queued -= sent
        if sent == part.length:
            self._queue.popleft()
            part.release()
        elif sent == 0:
            raise _cut_short(part)
        else:
            part.position += sent
            part.length -= sent

    def _lost(self, broken: OSError) -> None:
        self._end(None if broken.errno in _ORDINARY_END else f"{broken.strerror or broken}")

    def _end(self, reason: str | None) -> None:
        if self._gone:
            return
        self._gone = True
        self._loop.remove_reader(self._descriptor)
        self._loop.remove_writer(self._descriptor)
        self._socket.close()
        _release(self._queue)
        self._queue.clear()
        self._queued = 0
        self._loop.call_soon(self._tell_closed, reason)  # I1

    def _tell_closed(self, reason: str | None) -> None:
        owner, self._owner = self._owner, None
        if owner is not None:
            owner.closed(reason)


class RealListener:
    """One listening socket, with a descriptor in reserve for the day when there is none left."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        listening: socket.socket,
        accept: Accept,
        report: Callable[[str], None],
    ) -> None:
        self.host, self.port = listening.getsockname()[:2]
        self._loop = loop
        self._socket = listening
        self._accept = accept
        self._report = report
        self._reserve = os.open(os.devnull, os.O_RDONLY)
        loop.add_reader(listening.fileno(), self._acceptable)

    def close(self) -> None:
        if self._socket.fileno() >= 0:
            self._loop.remove_reader(self._socket.fileno())
            self._socket.close()
            os.close(self._reserve)

    def _acceptable(self) -> None:
        for _ in range(ACCEPTS_PER_TURN):
            if self._socket.fileno() < 0:
                return
            try:
                accepted, address = self._socket.accept()
            except (BlockingIOError, InterruptedError):
                return
            except OSError as failed:
                if failed.errno in _OUT_OF_DESCRIPTORS:
                    self._refuse_one(failed)
                    return
                continue
            connection = RealConnection(self._loop, _tuned(accepted), f"{address[0]}:{address[1]}")
            owner = self._accept(connection)
            if owner is None:
                connection.abort()
            else:
                connection.attach(owner)

    def _refuse_one(self, failed: OSError) -> None:
        """Take the waiting connection with the descriptor in reserve and hang up, so that accepting does not spin."""
        os.close(self._reserve)
        try:
            self._socket.accept()[0].close()
            self._report(f"connection refused: {failed.strerror} (raise the limit of open files: ulimit -n)")
        except OSError:
            pass  # without a descriptor accept fails even when nobody waits
        self._reserve = os.open(os.devnull, os.O_RDONLY)


class RealNetwork:
    """The network door on one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, report: Callable[[str], None]) -> None:
        self._loop = loop
        self._report = report

    def listen(self, host: str, port: int, accept: Accept) -> RealListener:
        family, _, _, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.setblocking(False)
            listening.bind(address)
            listening.listen(BACKLOG)
        except OSError:
            listening.close()
            raise
        return RealListener(self._loop, listening, accept, self._report)

    async def connect(self, host: str, port: int, attach: Callable[[Connection], Receiver]) -> RealConnection:
        failure: OSError | None = None
        for family, _, _, _, address in await self._addresses(host, port):
            connecting = socket.socket(family, socket.SOCK_STREAM)
            connecting.setblocking(False)
            try:
                await self._loop.sock_connect(connecting, address)
            except OSError as failed:
                connecting.close()
                failure = failure or failed
                continue
            except BaseException:
                connecting.close()
                raise
            connection = RealConnection(self._loop, _tuned(connecting), f"{host}:{port}")
            connection.attach(attach(connection))
            return connection
        raise failure or OSError(errno.EADDRNOTAVAIL, f"{host} has no address")

    async def _addresses(self, host: str, port: int) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        except socket.gaierror:
            found = await self._loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return cast("list[tuple[int, int, int, str, tuple[str, int]]]", found)


def _tuned(connected: socket.socket) -> socket.socket:
    connected.setblocking(False)
    try:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
    except OSError:
        pass  # the peer has gone already; receiving will say so
    return connected


def _taken(part: FileSlice) -> bytes:
    """The slice's bytes; it is released."""
    data = part.file.read(part.position, part.length)
    if len(data) < part.length:
        raise _cut_short(part)
    part.release()
    return data


def _cut_short(part: FileSlice) -> OSError:
    return OSError(errno.EIO, f"{part.file.path} ends before byte {part.position + part.length}")


def _release(parts: Sequence[Part] | deque[Part]) -> None:
    for part in parts:
        if isinstance(part, FileSlice):
            part.release()
