"""Real time, and timers in numbers.

Called by every driver through the clock door; never decides anything. Thousands of parked requests have a timer each,
set and taken back many thousand times a second, and hardly one of them ever goes off. The loop's own timers stay in its
heap when they are cancelled, and everything that they refer to with them, which the garbage collector then walks over
for tens of milliseconds. Here a timer is an entry in the bucket of its millisecond, and cancelling removes it.

I1 A timer never fires before its deadline; later by less than `FAR_GRAIN_MS`, and by less than one millisecond (and the
   loop's own delay) when it was set for less than `FAR_MS` ahead.
I2 Timers fire in the order of their deadlines, those of one bucket in the order in which they were set.
I3 The loop holds one timer, for the earliest bucket; a bucket that was emptied is dropped when its time comes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from heapq import heappop, heappush

FAR_MS = 1_000
FAR_GRAIN_MS = 64
_MARGIN_S = 1e-6
"""A loop may fire a timer one clock tick early; a deadline must not be seen as still ahead when it fires."""


class BucketTimer:
    """One call that is still to come."""

    __slots__ = ("_bucket", "callback")

    def __init__(self, bucket: dict[BucketTimer, None], callback: Callable[[], None]) -> None:
        self._bucket = bucket
        self.callback = callback

    def cancel(self) -> None:
        self._bucket.pop(self, None)


class RealClock:
    """The clock door on one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._buckets: dict[int, dict[BucketTimer, None]] = {}
        self._order: list[int] = []
        self._armed: asyncio.TimerHandle | None = None

    def monotonic_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000

    def monotonic_ns(self) -> int:
        return time.monotonic_ns()

    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def call_at(self, deadline_ms: int, callback: Callable[[], None]) -> BucketTimer:
        if deadline_ms - time.monotonic_ns() // 1_000_000 >= FAR_MS:
            deadline_ms = -(-deadline_ms // FAR_GRAIN_MS) * FAR_GRAIN_MS
        bucket = self._buckets.get(deadline_ms)
        if bucket is None:
            bucket = self._buckets[deadline_ms] = {}
            heappush(self._order, deadline_ms)
            if self._order[0] == deadline_ms:
                self._arm(deadline_ms)
        timer = BucketTimer(bucket, callback)
        bucket[timer] = None
        return timer

    async def sleep(self, duration_ms: int) -> None:
        await asyncio.sleep(duration_ms / 1000)

    def _arm(self, deadline_ms: int) -> None:
        if self._armed is not None:
            self._armed.cancel()
        delay_s = (deadline_ms * 1_000_000 - time.monotonic_ns()) / 1e9
        self._armed = self._loop.call_later(max(delay_s, 0.0) + _MARGIN_S, self._fire)

    def _fire(self) -> None:
        """Call whoever is due; a callback may set and cancel timers, those of its own bucket included."""
        self._armed = None
        order = self._order
        try:
            while order and order[0] <= time.monotonic_ns() // 1_000_000:
                bucket = self._buckets.pop(heappop(order))
                while bucket:
                    timer = next(iter(bucket))
                    del bucket[timer]
                    self._call(timer.callback)
        finally:
            if order:
                self._arm(order[0])

    def _call(self, callback: Callable[[], None]) -> None:
        try:
            callback()
        except Exception as failure:
            self._loop.call_exception_handler({"message": f"the timer {callback} failed", "exception": failure})
