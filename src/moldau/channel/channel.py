"""A conversation with one broker over one connection: bytes, answers and deadlines around `Conversation`.

Connection pools of clients and brokers open channels; whoever has one sends requests and is called back. It never
retries and never chooses where to connect: a broken connection fails everything in flight, and the owner decides.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from typing import Any

from moldau import __version__
from moldau.channel import handshake
from moldau.channel.conversation import Conversation, Done, Exchange, OutOfStep
from moldau.channel.errors import ChannelClosed, ChannelError, RequestExpired
from moldau.environment.doors import Connection, Environment, Timer
from moldau.protocol.apis import API, Api, ApiKey
from moldau.protocol.errors import FrameError, Malformed
from moldau.protocol.frames import FrameBuffer
from moldau.protocol.headers import decode_response, encode_request
from moldau.protocol.tables import Top

_CORRELATION = Struct(">i").unpack_from


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """The limits of one channel."""

    client_id: str = "moldau"
    connect_timeout_ms: int = 10_000
    request_timeout_ms: int = 30_000
    in_flight_limit: int = 5
    waiting_limit: int = 1_000
    frame_limit_bytes: int = 128 * 1024 * 1024
    receive_bytes: int = 128 * 1024
    """The receive buffer at rest; larger where large answers are the rule."""


class Channel:
    """Open one with `Channel.open`; it is the receiver of its connection."""

    def __init__(self, environment: Environment, settings: ChannelSettings, broker: str) -> None:
        self.broker = broker
        self.versions: handshake.Versions = {}
        self._clock = environment.clock
        self._settings = settings
        self._conversation = Conversation(settings.in_flight_limit, settings.waiting_limit)
        self._frames = FrameBuffer(settings.frame_limit_bytes, settings.receive_bytes)
        self._connection: Connection | None = None
        self._failure: ChannelClosed | None = None
        self._watchers: list[Callable[[], None]] = []
        self._timer: Timer | None = None
        self._timer_at_ms = 0

    @classmethod
    async def open(cls, environment: Environment, host: str, port: int, settings: ChannelSettings) -> Channel:
        """Connect and agree on versions; ChannelError when that fails or takes too long."""
        broker = f"{host}:{port}"
        channel = cls(environment, settings, broker)
        try:
            async with asyncio.timeout(settings.connect_timeout_ms / 1000):
                await environment.network.connect(host, port, channel._attach)
                await channel._agree()
        except TimeoutError:
            channel.abort()
            raise RequestExpired(f"{broker} did not answer within {settings.connect_timeout_ms} ms") from None
        except OSError as refused:
            channel.abort()
            raise ChannelClosed(f"{broker} cannot be reached: {refused}") from refused
        except BaseException:
            channel.abort()
            raise
        return channel

    # ------------------------------------------------------------------------------------- asking

    def version(self, key: ApiKey, at_most: int | None = None) -> int:
        """The newest version of an API that both sides have; VersionNotServed when there is none."""
        return handshake.common_version(API[key], self.versions, at_most, self.broker)

    def request(
        self,
        message: Top,
        done: Done,
        *,
        version: int | None = None,
        timeout_ms: int | None = None,
        answered: bool = True,
    ) -> None:
        """Send in order; `done` is called once with the answer or with what went wrong, and for a request that is
        not `answered` as soon as it is sent. What is wrong already (no common version, no room, a closed channel)
        is raised here."""
        if self._failure is not None:
            raise ChannelClosed(str(self._failure))
        api = handshake.api_of(message)
        if version is None:
            version = self.version(api.key)
        limit_ms = self._settings.request_timeout_ms if timeout_ms is None else timeout_ms
        deadline_ms = self._clock.monotonic_ms() + limit_ms
        correlation_id = self._conversation.next_id()
        parts = encode_request(api.key, version, correlation_id, self._settings.client_id, message)
        self._conversation.submit(Exchange(correlation_id, api, version, parts, deadline_ms, done, answered))
        self._send()
        self._arm(deadline_ms)

    async def call(self, message: Top, *, version: int | None = None, timeout_ms: int | None = None) -> Any:
        """Send and wait for the answer. Cancelling forgets the answer; the request is not taken back."""
        waiter: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def done(answer: Any, error: ChannelError | None) -> None:
            if waiter.done():
                return
            if error is None:
                waiter.set_result(answer)
            else:
                waiter.set_exception(error)

        self.request(message, done, version=version, timeout_ms=timeout_ms)
        return await waiter

    @property
    def free(self) -> bool:
        """Whether a request would be sent at once."""
        return self._failure is None and self._conversation.free(self._clock.monotonic_ms())

    @property
    def in_flight(self) -> int:
        """How many requests wait for their answer."""
        return self._conversation.in_flight

    @property
    def closed_by(self) -> ChannelClosed | None:
        """Why the channel is closed; None while it is open."""
        return self._failure

    def on_change(self, watcher: Callable[[], None]) -> None:
        """Call whenever the channel may have become free, or has closed."""
        self._watchers.append(watcher)

    def abort(self, reason: str = "it was closed on this side") -> None:
        """Close now; whatever is in flight fails."""
        self._break(reason)

    # ---------------------------------------------------------------------------- the receiver's side

    def buffer(self) -> memoryview:
        """Where the connection puts the next bytes."""
        return self._frames.buffer()

    def received(self, count: int) -> None:
        """The connection has put bytes there."""
        try:
            for frame in self._frames.received(count):
                if self._failure is not None:
                    return
                self._answer(bytes(frame))
        except (FrameError, Malformed, OutOfStep) as broken:
            self._break(f"{self.broker} sent what is not an answer: {broken}")
            return
        self._send()
        self._tell()

    def drained(self) -> None:
        """Everything queued has left; nothing waits for that, because what is in flight is bounded."""

    def closed(self, reason: str | None) -> None:
        """The connection is gone."""
        self._break(reason or "the broker closed the connection")

    # -------------------------------------------------------------------------------------- inside

    def _attach(self, connection: Connection) -> Channel:
        self._connection = connection
        return self

    async def _agree(self) -> None:
        version: int | None = handshake.FIRST_ASKED
        while version is not None:
            answer = await self.call(handshake.question(__version__), version=version)
            version = handshake.next_version(answer, version)
        self.versions = handshake.served(answer)

    def _send(self) -> None:
        connection = self._connection
        if connection is None or self._failure is not None:
            return
        for exchange in self._conversation.take(self._clock.monotonic_ms()):
            connection.send(exchange.parts)
            exchange.parts = []
            if not exchange.answered:
                exchange.done(None, None)

    def _answer(self, frame: bytes) -> None:
        if len(frame) < 4:
            raise Malformed(f"an answer of {len(frame)} bytes has no header")
        exchange = self._conversation.answer(_CORRELATION(frame)[0])
        try:
            message = _decoded(exchange.api, exchange.version, frame)
        except Malformed as broken:
            exchange.done(None, ChannelClosed(f"{self.broker} sent what cannot be read: {broken}"))
            raise
        throttle_ms = getattr(message, "throttle_time_ms", 0)
        if throttle_ms > 0:
            until_ms = self._clock.monotonic_ms() + throttle_ms
            self._conversation.throttle(until_ms)
            self._arm(until_ms)
        exchange.done(message, None)

    def _break(self, reason: str, overdue: Exchange | None = None) -> None:
        if self._failure is not None:
            return
        self._failure = ChannelClosed(f"the connection to {self.broker} is gone: {reason}")
        if self._timer is not None:
            self._timer.cancel()
        if self._connection is not None:
            self._connection.abort()
        for exchange in self._conversation.fail():
            error = RequestExpired if exchange is overdue else ChannelClosed
            exchange.done(None, error(str(self._failure)))
        self._tell()

    def _tell(self) -> None:
        for watcher in self._watchers:
            watcher()

    def _arm(self, at_ms: int) -> None:
        if self._timer is not None:
            if self._timer_at_ms <= at_ms:
                return
            self._timer.cancel()
        self._timer_at_ms = at_ms
        self._timer = self._clock.call_at(at_ms, self._wake)

    def _wake(self) -> None:
        self._timer = None
        if self._failure is not None:
            return
        now_ms = self._clock.monotonic_ms()
        overdue = self._conversation.overdue(now_ms)
        if overdue is not None:
            # Answers come in order, so nothing behind a request without one can be had: the owner starts anew.
            self._break(f"{overdue.api.name} was not answered in time", overdue)
            return
        for exchange in self._conversation.expire_waiting(now_ms):
            exchange.done(None, RequestExpired(f"{exchange.api.name} waited too long for a turn on {self.broker}"))
        self._send()
        self._tell()
        wake_at_ms = self._conversation.wake_at(now_ms)
        if wake_at_ms is not None and self._failure is None:
            self._arm(max(wake_at_ms, now_ms + 1))


def _decoded(api: Api, version: int, frame: bytes) -> Any:
    if api.key is ApiKey.API_VERSIONS:
        return handshake.read_answer(version, frame)
    return decode_response(api.key, version, frame)[1]
