"""Work off the loop's thread: done in one piece at a drawn instant, its end told when its disk time has passed.

Several pieces overlap in virtual time, as threads do, so their ends come in any order. A node that dies in between
never hears of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, TypeVar

from moldau.simulator.disk import SimulatedDisk
from moldau.simulator.loop import SimulatedLoop
from moldau.simulator.node import Node

T = TypeVar("T")

MEAN_WAIT_NS = 30_000
"""How long a piece waits for a thread, on average."""


class SimulatedOffload:
    """The offload door."""

    def __init__(self, loop: SimulatedLoop, node: Node, disk: SimulatedDisk, draw: random.Random) -> None:
        self._loop = loop
        self._node = node
        self._disk = disk
        self._draw = draw

    def submit(self, work: Callable[[], T], done: Callable[[T | None, BaseException | None], None]) -> None:
        start_ns = self._loop.now_ns + int(self._draw.expovariate(1 / MEAN_WAIT_NS))
        self._loop.call_at_ns(start_ns, self._perform, work, done, context=self._node.context)

    async def run(self, work: Callable[[], T]) -> T:
        result = self._loop.create_future()

        def done(value: T | None, error: BaseException | None) -> None:
            if result.done():
                return
            if error is not None:
                result.set_exception(error)
            else:
                result.set_result(value)

        self.submit(work, done)
        value: T = await result
        return value

    def _perform(self, work: Callable[[], Any], done: Callable[[Any, BaseException | None], None]) -> None:
        self._disk.take_cost_ns()
        result: Any = None
        error: BaseException | None = None
        try:
            result = work()
        except Exception as raised:
            error = raised
        end_ns = self._loop.now_ns + self._disk.take_cost_ns()
        self._loop.call_at_ns(end_ns, done, result, error, context=self._node.context)
