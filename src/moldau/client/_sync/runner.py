"""Where a synchronous client's drivers run: on a loop of their own in a thread, and the caller waits for it.

Of the same shape as `AsyncRunner` in `client/runner.py`; the generated verbs use it.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from moldau.client.accumulator import Accumulator
from moldau.client.errors import ClientClosed
from moldau.client.shared_accumulator import SharedAccumulator
from moldau.environment.doors import Environment

Doors = Callable[[asyncio.AbstractEventLoop], Environment]
"""What a client may be given instead of the real doors: what makes an environment for the thread's loop."""

T = TypeVar("T")
D = TypeVar("D")


class Runner:
    """Drivers in a background thread."""

    def __init__(self, doors: Doors | None) -> None:
        self._doors = doors
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._process = 0

    def open(self) -> Environment:
        """Start the thread; the doors to use are on its loop."""
        if self._doors is None:
            from moldau.environment.real import real_environment

            self._doors = real_environment
        loop = asyncio.new_event_loop()
        self._loop = loop
        self._process = os.getpid()
        self._thread = threading.Thread(target=_run, args=(loop,), name="moldau client", daemon=True)
        self._thread.start()
        return self.wait(_make(self._doors, loop))

    def close(self) -> None:
        """Stop the thread and wait for its end."""
        loop, self._loop = self._loop, None
        if loop is None or self._thread is None or os.getpid() != self._process:
            return
        loop.call_soon_threadsafe(loop.stop)
        self._thread.join()

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The driver's result; interrupting the wait cancels the driver's work."""
        try:
            loop = self._running()
        except ClientClosed:
            coroutine.close()
            raise
        waiting: Future[T] = asyncio.run_coroutine_threadsafe(coroutine, loop)
        try:
            return waiting.result()
        except BaseException:
            waiting.cancel()
            raise

    def kick(self, callback: Callable[[], None]) -> None:
        """Call a driver on the loop's thread, soon; the caller does not wait."""
        self._running().call_soon_threadsafe(callback)

    def breathe(self) -> None:
        """The loop has a thread of its own."""

    def shared(self, accumulator: type[Accumulator[D]]) -> type[Accumulator[D]]:
        """The kind of accumulator to use: one for two threads."""
        assert accumulator is Accumulator
        return SharedAccumulator

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            raise ClientClosed("the client is not open; use it inside its `with` block")
        if os.getpid() != self._process:
            raise ClientClosed(
                "this client belongs to the process that opened it, and a fork does not take its connections along; "
                "open a client in each process"
            )
        return self._loop


async def _make(doors: Doors, loop: asyncio.AbstractEventLoop) -> Environment:
    return doors(loop)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
