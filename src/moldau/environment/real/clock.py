"""Real time, on the running loop's timers.

Called by every driver through the clock door; never decides anything.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

_MARGIN_S = 1e-6
"""A loop may fire a timer one clock tick early; a deadline must not be seen as still ahead when it fires."""


class RealClock:
    """The clock door on one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def monotonic_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000

    def monotonic_ns(self) -> int:
        return time.monotonic_ns()

    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def call_at(self, deadline_ms: int, callback: Callable[[], None]) -> asyncio.TimerHandle:
        delay_s = (deadline_ms * 1_000_000 - time.monotonic_ns()) / 1e9
        return self._loop.call_later(max(delay_s, 0.0) + _MARGIN_S, callback)

    async def sleep(self, duration_ms: int) -> None:
        await asyncio.sleep(duration_ms / 1000)
