"""One node's clock: monotonic time is the loop's, from a beginning of its own; wall time is off by what was drawn.

Every life of a machine begins its monotonic time elsewhere, so that a time kept over a restart, or taken from one
node to another, shows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from moldau.simulator.loop import SimulatedLoop
from moldau.simulator.node import Node

START_WALL_MS = 1_800_000_000_000
NS_PER_MS = 1_000_000


class SimulatedClock:
    """The clock door."""

    def __init__(self, loop: SimulatedLoop, node: Node, *, beginning_ns: int, wall_offset_ms: int) -> None:
        self._loop = loop
        self._node = node
        self._beginning_ns = beginning_ns
        self.wall_offset_ms = wall_offset_ms
        """A fault may step it."""

    def monotonic_ms(self) -> int:
        return self.monotonic_ns() // NS_PER_MS

    def monotonic_ns(self) -> int:
        return self._loop.now_ns + self._beginning_ns

    def wall_ms(self) -> int:
        return START_WALL_MS + self._loop.now_ns // NS_PER_MS + self.wall_offset_ms

    def call_at(self, deadline_ms: int, callback: Callable[[], None]) -> asyncio.TimerHandle:
        deadline_ns = deadline_ms * NS_PER_MS - self._beginning_ns
        return self._loop.call_at_ns(deadline_ns, callback, context=self._node.context)

    async def sleep(self, duration_ms: int) -> None:
        await asyncio.sleep(duration_ms / 1000)
