"""Waiting and heavy native work on a few threads; results come back on the loop.

Called by drivers through the offload door. The loop's thread never waits for one of these threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

THREADS = 16
"""Most of them wait in fdatasync; a hundred dirty files take a tenth of the time with sixteen."""


class RealOffload:
    """The offload door: threads are made when work first needs them."""

    def __init__(self, loop: asyncio.AbstractEventLoop, threads: int = THREADS) -> None:
        self._loop = loop
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="moldau-offload")

    def submit(self, work: Callable[[], T], done: Callable[[T | None, BaseException | None], None]) -> None:
        self._pool.submit(self._work, work, done)

    async def run(self, work: Callable[[], T]) -> T:
        return await self._loop.run_in_executor(self._pool, work)

    def _work(self, work: Callable[[], T], done: Callable[[T | None, BaseException | None], None]) -> None:
        result: T | None = None
        error: BaseException | None = None
        try:
            result = work()
        except BaseException as raised:
            error = raised
        try:
            self._loop.call_soon_threadsafe(done, result, error)
        except RuntimeError:
            if not self._loop.is_closed():
                raise
