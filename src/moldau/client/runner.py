"""Where an asynchronous client's drivers run: on the loop of whoever uses it.

The verbs (client, producer, consumer, admin) call it wherever they wait or wake a driver. The synchronous client is
generated from the same verbs; its runner of the same shape, in `_sync/runner.py`, waits for another thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from moldau.client.accumulator import Accumulator
from moldau.environment.doors import Environment

Doors = Environment
"""What a client may be given instead of the real doors."""

T = TypeVar("T")
D = TypeVar("D")


class AsyncRunner:
    """Drivers on the caller's own loop."""

    def __init__(self, environment: Doors | None) -> None:
        self._environment = environment

    async def open(self) -> Environment:
        """The doors to use: those that were handed in, or real ones on the running loop."""
        if self._environment is None:
            from moldau.environment.real import real_environment

            self._environment = real_environment(asyncio.get_running_loop())
        return self._environment

    async def close(self) -> None:
        """Nothing of this runner outlives the loop."""

    async def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The driver's result."""
        return await coroutine

    def kick(self, callback: Callable[[], None]) -> None:
        """Call a driver on the loop's thread, which is this one."""
        callback()

    async def breathe(self) -> None:
        """Let the loop send and receive: a caller who never has to wait would keep it from doing so."""
        await asyncio.sleep(0)

    def shared(self, accumulator: type[Accumulator[D]]) -> type[Accumulator[D]]:
        """The kind of accumulator to use: nobody else's thread touches it here."""
        return accumulator
