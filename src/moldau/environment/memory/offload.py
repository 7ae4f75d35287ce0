"""Work done in place: no thread is started, and `done` is never called inside `submit`.

A test either lets the running loop do each piece in turn, or takes the pieces one by one with `step`, to stand
between a submission and its end.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class MemoryOffload:
    """A queue of work. `stepped=True` waits for `step`; otherwise the running loop takes a piece each turn."""

    def __init__(self, *, stepped: bool = False) -> None:
        self._stepped = stepped
        self._waiting: deque[Callable[[], None]] = deque()

    def submit(self, work: Callable[[], T], done: Callable[[T | None, BaseException | None], None]) -> None:
        self._waiting.append(lambda: _perform(work, done))
        if not self._stepped:
            asyncio.get_running_loop().call_soon(self.step)

    async def run(self, work: Callable[[], T]) -> T:
        result: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        def done(value: T | None, error: BaseException | None) -> None:
            if result.done():
                return
            if error is not None:
                result.set_exception(error)
            else:
                result.set_result(value)  # type: ignore[arg-type]

        self.submit(work, done)
        return await result

    @property
    def waiting(self) -> int:
        """How many pieces have been submitted and not yet done."""
        return len(self._waiting)

    def step(self) -> bool:
        """Do the oldest piece; False when there is none."""
        if not self._waiting:
            return False
        self._waiting.popleft()()
        return True


def _perform(work: Callable[[], T], done: Callable[[T | None, BaseException | None], None]) -> None:
    try:
        result = work()
    except Exception as error:
        done(None, error)
    else:
        done(result, None)
