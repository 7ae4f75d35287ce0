"""A broker played by the test: the network door connects to it, requests are looked at and answered by hand."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, cast

from moldau.environment.doors import Connection, Environment, Part, Receiver
from moldau.protocol.apis import API, ApiKey
from moldau.protocol.codec import compiled
from moldau.protocol.headers import Request, decode_request_header, encode_response
from moldau.protocol.messages.api_versions import ApiVersion, ApiVersionsResponse
from moldau.protocol.tables import Top


class StillClock:
    """Time that the test moves."""

    def __init__(self) -> None:
        self.now_ms = 1_000
        self._timers: list[tuple[int, int, Callable[[], None]]] = []
        self._serial = 0

    def monotonic_ms(self) -> int:
        return self.now_ms

    def monotonic_ns(self) -> int:
        return self.now_ms * 1_000_000

    def wall_ms(self) -> int:
        return 1_700_000_000_000 + self.now_ms

    def call_at(self, deadline_ms: int, callback: Callable[[], None]) -> Any:
        self._serial += 1
        timer = (deadline_ms, self._serial, callback)
        self._timers.append(timer)
        return _Timer(self._timers, timer)

    async def sleep(self, duration_ms: int) -> None:
        raise NotImplementedError

    def advance(self, duration_ms: int) -> None:
        """Let time pass, timers in order."""
        end = self.now_ms + duration_ms
        while due := sorted(timer for timer in self._timers if timer[0] <= end):
            self._timers.remove(due[0])
            self.now_ms = max(self.now_ms, due[0][0])
            due[0][2]()
        self.now_ms = end


class _Timer:
    def __init__(self, timers: list[Any], timer: Any) -> None:
        self._timers = timers
        self._timer = timer

    def cancel(self) -> None:
        if self._timer in self._timers:
            self._timers.remove(self._timer)


class Asked:
    """One request as the broker reads it."""

    def __init__(self, header: Request, message: Any) -> None:
        self.header = header
        self.message = message
        self.key = header.api_key
        self.version = header.api_version
        self.id = header.correlation_id


class ScriptedConnection:
    """The broker's end of one connection; it is also the door's connection of the other side."""

    def __init__(self, versions: dict[ApiKey, tuple[int, int]] | None) -> None:
        self.peer = "scripted:9092"
        self.asked: deque[Asked] = deque()
        self.receiver: Receiver | None = None
        self.open = True
        self._versions = versions

    # the door's side

    @property
    def queued_bytes(self) -> int:
        return 0

    def send(self, parts: Sequence[Part]) -> None:
        frame = b"".join(bytes(cast("bytes", part)) for part in parts)[4:]
        header = decode_request_header(frame)
        request = API[header.api_key].request
        first, last = request.TABLE.versions
        message = None
        if first <= header.api_version <= last:
            message, _ = compiled(request, header.api_version).decode(frame, header.body_position)
        self.asked.append(Asked(header, message))

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        self.open = False

    # the test's side

    def next(self) -> Asked:
        """The oldest request not looked at yet."""
        return self.asked.popleft()

    def answer(self, asked: Asked, message: Top, *, version: int | None = None) -> None:
        """Answer a request."""
        parts = encode_response(asked.key, asked.version if version is None else version, asked.id, message)
        self.deliver(b"".join(bytes(cast("bytes", part)) for part in parts))

    def deliver(self, data: bytes) -> None:
        """Bytes on the wire, as large or small pieces as the receiver takes."""
        assert self.receiver is not None
        while data:
            room = self.receiver.buffer()
            count = min(len(room), len(data))
            room[:count] = data[:count]
            self.receiver.received(count)
            data = data[count:]

    def lose(self, reason: str | None = "reset by peer") -> None:
        """The connection breaks."""
        self.open = False
        assert self.receiver is not None
        self.receiver.closed(reason)

    def shake_hands(self) -> None:
        """Answer the first ApiVersions."""
        self.answer(self.next(), versions_answer(self._versions))


class ScriptedNetwork:
    """Connects to brokers that the test plays."""

    def __init__(self, versions: dict[ApiKey, tuple[int, int]] | None = None) -> None:
        self.connections: list[ScriptedConnection] = []
        self.refusals: list[OSError] = []
        self._versions = versions

    async def connect(self, host: str, port: int, attach: Callable[[Connection], Receiver]) -> Connection:
        if self.refusals:
            raise self.refusals.pop(0)
        connection = ScriptedConnection(self._versions)
        connection.receiver = attach(connection)
        self.connections.append(connection)
        return connection

    def listen(self, host: str, port: int, accept: Any) -> Any:
        raise NotImplementedError


class DrawnChance:
    def stream(self, purpose: str) -> random.Random:
        return random.Random(purpose)

    def uuid(self) -> bytes:
        return bytes(16)


def versions_answer(versions: dict[ApiKey, tuple[int, int]] | None = None) -> ApiVersionsResponse:
    """Everything declared, unless told otherwise."""
    if versions is None:
        versions = {key: (api.min_version, api.stable_version) for key, api in API.items()}
    return ApiVersionsResponse(
        api_keys=[ApiVersion(api_key=key, min_version=low, max_version=high) for key, (low, high) in versions.items()]
    )


def scripted_environment(network: ScriptedNetwork, clock: StillClock) -> Environment:
    """Doors of which only clock, chance and network open."""
    none = cast("Any", None)
    return Environment(clock=clock, chance=DrawnChance(), network=network, disk=none, offload=none)
