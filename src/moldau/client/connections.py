"""The channels of one user of the client, one for each broker address, opened when first needed.

The cluster driver, every producer and every consumer has its own: a fetch that waits at the broker holds up all that
comes behind it on its connection.

I1  At most one channel is being opened to an address at a time, and none within the pause after a failure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from moldau.channel import Channel, ChannelClosed, ChannelError, ChannelSettings
from moldau.client.options import ClientSettings
from moldau.client.tasks import Tasks
from moldau.environment.doors import Environment

Address = tuple[str, int]


class Line:
    """What is known of the way to one address."""

    __slots__ = ("channel", "failure", "failures", "not_before_ms", "opening")

    def __init__(self) -> None:
        self.channel: Channel | None = None
        self.opening = False
        self.failure: ChannelError | None = None
        self.failures = 0
        self.not_before_ms = 0


class Connections:
    """Channels by address."""

    def __init__(
        self,
        environment: Environment,
        settings: ClientSettings,
        channel_settings: ChannelSettings,
        tasks: Tasks,
        changed: Callable[[], None] | None = None,
    ) -> None:
        self._environment = environment
        self._settings = settings
        self._channel_settings = channel_settings
        self._tasks = tasks
        self._changed = changed
        self._lines: dict[Address, Line] = {}
        self._waiters: list[asyncio.Future[None]] = []
        self._closed = False

    def ready(self, address: Address) -> Channel | None:
        """The open channel; None while there is none, and then one is being opened and `changed` will be called."""
        line = self._lines.setdefault(address, Line())
        if line.channel is not None:
            if line.channel.closed_by is None:
                return line.channel
            line.failure, line.channel = line.channel.closed_by, None
        if not line.opening and not self._closed:
            line.opening = True  # I1
            self._tasks.start(self._open(address, line), f"connect to {address[0]}:{address[1]}")
        return None

    async def get(self, address: Address) -> Channel:
        """The open channel; ChannelError when opening fails."""
        while True:
            line = self._lines.get(address)
            failures = line.failures if line else 0
            channel = self.ready(address)
            if channel is not None:
                return channel
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            await waiter
            line = self._lines[address]
            if self._closed:
                raise ChannelClosed("the client is closed")
            if line.channel is None and line.failures > failures and line.failure is not None:
                raise type(line.failure)(str(line.failure))

    def failure(self, address: Address) -> ChannelError | None:
        """Why there is no channel to that address, if that is known."""
        line = self._lines.get(address)
        return line.failure if line else None

    def close(self) -> None:
        """Close every channel and open none again."""
        self._closed = True
        for line in self._lines.values():
            if line.channel is not None:
                line.channel.abort()
        self._wake()

    async def _open(self, address: Address, line: Line) -> None:
        clock = self._environment.clock
        try:
            pause_ms = line.not_before_ms - clock.monotonic_ms()
            if pause_ms > 0:
                await clock.sleep(pause_ms)
            channel = await Channel.open(self._environment, *address, self._channel_settings)
            if self._closed:
                channel.abort()
                return
            line.channel, line.failure, line.failures = channel, None, 0
            if self._changed is not None:
                channel.on_change(self._changed)
        except ChannelError as failure:
            line.failure = failure
            line.failures += 1
            line.not_before_ms = clock.monotonic_ms() + pause_ms_after(self._settings, line.failures)
        finally:
            line.opening = False
            self._wake()

    def _wake(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
        if self._changed is not None and not self._closed:
            self._changed()


def pause_ms_after(settings: ClientSettings, failures: int) -> int:
    """How long to wait after so many failures in a row: twice as long each time, within limits."""
    first_ms, longest_ms = round(settings.retry_backoff * 1000), round(settings.retry_backoff_max * 1000)
    return min(longest_ms, first_ms << min(max(failures - 1, 0), 16))
