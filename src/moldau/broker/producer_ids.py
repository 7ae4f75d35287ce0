"""Producer ids, handed out one by one from blocks that the controller grants.

Ids of a block that is not used up when the broker ends are never used: they are plentiful.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from moldau.model import ApiError, ErrorCode

MOST_WAITING = 10_000

Granted = Callable[[int | None, ApiError | None], None]
Block = Callable[[int | None, int, ApiError | None], None]
"""First id and count, or why there is none."""


class ProducerIds:
    """The ids of one broker."""

    def __init__(self, request_block: Callable[[Block], None]) -> None:
        self._request_block = request_block
        self._next = self._end = 0
        self._waiting: deque[Granted] = deque()

    def next(self, granted: Granted) -> None:
        """Hand out one id, now or once there is a block."""
        if self._next < self._end:
            self._next += 1
            granted(self._next - 1, None)
            return
        if len(self._waiting) >= MOST_WAITING:
            granted(None, ApiError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, "too many wait for a producer id"))
            return
        self._waiting.append(granted)
        if len(self._waiting) == 1:
            self._request_block(self._take)

    def _take(self, first: int | None, count: int, refusal: ApiError | None) -> None:
        waiting, self._waiting = self._waiting, deque()
        if first is not None:
            self._next, self._end = first, first + count
        for granted in waiting:
            if first is None:
                granted(None, refusal)
            else:
                self.next(granted)
