"""A clock that a test turns by hand. It never moves by itself and never calls back inside `call_at`."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable

START_WALL_MS = 1_800_000_000_000
"""A round date in 2027: far from zero, so that a monotonic time taken for a wall time shows."""


class HandTurnedClock:
    """Time stands still until `advance`; timers fire in it, in the order of their deadlines."""

    def __init__(self, monotonic_ms: int = 1_000, wall_ms: int = START_WALL_MS) -> None:
        self._now_ms = monotonic_ms
        self._wall_offset_ms = wall_ms - monotonic_ms
        self._timers: list[tuple[int, int, _Timer]] = []
        self._sequence = 0

    def monotonic_ms(self) -> int:
        return self._now_ms

    def monotonic_ns(self) -> int:
        return self._now_ms * 1_000_000

    def wall_ms(self) -> int:
        return self._now_ms + self._wall_offset_ms

    def call_at(self, deadline_ms: int, callback: Callable[[], None]) -> _Timer:
        timer = _Timer(callback)
        self._sequence += 1
        heapq.heappush(self._timers, (deadline_ms, self._sequence, timer))
        return timer

    async def sleep(self, duration_ms: int) -> None:
        over = asyncio.get_running_loop().create_future()
        timer = self.call_at(self._now_ms + duration_ms, lambda: None if over.done() else over.set_result(None))
        try:
            await over
        finally:
            timer.cancel()

    def advance(self, duration_ms: int) -> None:
        """Move time on, firing what comes due on the way (also what was set on the way)."""
        end_ms = self._now_ms + duration_ms
        while self._timers and self._timers[0][0] <= end_ms:
            deadline_ms, _, timer = heapq.heappop(self._timers)
            self._now_ms = max(self._now_ms, deadline_ms)
            timer.fire()
        self._now_ms = end_ms

    def step_wall(self, difference_ms: int) -> None:
        """Set the wall clock forward or back, as an operator does; monotonic time does not notice."""
        self._wall_offset_ms += difference_ms


class _Timer:
    __slots__ = ("_callback",)

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self._callback = None

    def fire(self) -> None:
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()
