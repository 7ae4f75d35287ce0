"""The background tasks of one client: who starts them, who ends them, and where their errors go.

The drivers start their few long waits here. A client's life is not one task's scope (fixtures and threads open and
close it from different tasks), so this object owns what a task group would: nothing outlives `close`, and an error
that nobody expected is raised at the next call of the user.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


class Tasks:
    """Tasks of one owner; a dict keeps them in the order in which they were started."""

    def __init__(self) -> None:
        self._running: dict[asyncio.Task[Any], None] = {}
        self._failure: BaseException | None = None
        self._closed = False

    def start(self, coroutine: Coroutine[Any, Any, None], name: str) -> None:
        """Run it until it ends or `close` is called."""
        if self._closed:
            coroutine.close()
            return
        task = asyncio.get_running_loop().create_task(coroutine, name=name)
        self._running[task] = None
        task.add_done_callback(self._ended)

    def check(self) -> None:
        """Raise what a task failed with, once."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    async def close(self) -> None:
        """Cancel what still runs and wait until it has ended."""
        self._closed = True
        running = list(self._running)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.pop(task, None)
        if not task.cancelled() and (failure := task.exception()) is not None and self._failure is None:
            self._failure = failure
