"""What is put off to the end of one turn of the loop.

A turn is one call from a door: bytes received, a round of syncs done, a timer. While it runs, partitions wake
parked fetches and answers become ready, often several for one connection; at its end each woken fetch is looked
at once and each connection is written to once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from moldau.environment.doors import Offload

T = TypeVar("T")


class Flushable(Protocol):
    """Someone who has something to write when the turn ends."""

    def flush(self) -> None: ...


class Turn:
    """The turn of one node; turns nest, and the outermost one ends it."""

    __slots__ = ("_depth", "_flushes", "_later")

    def __init__(self) -> None:
        self._depth = 0
        self._later: list[Callable[[], None]] = []
        self._flushes: list[Flushable] = []

    def enter(self) -> None:
        self._depth += 1

    def leave(self) -> None:
        if self._depth == 1 and (self._later or self._flushes):
            self._finish()
        self._depth -= 1

    def later(self, act: Callable[[], None]) -> None:
        """Act when this turn ends; at once outside of a turn."""
        self.enter()
        self._later.append(act)
        self.leave()

    def flush(self, owner: Flushable) -> None:
        """Have this owner write when the turn ends; at once outside of a turn. It keeps itself from asking twice."""
        self.enter()
        self._flushes.append(owner)
        self.leave()

    def _finish(self) -> None:
        while self._later or self._flushes:
            later, self._later = self._later, []
            for act in later:
                act()
            if not self._later:
                flushes, self._flushes = self._flushes, []
                for owner in flushes:
                    owner.flush()


class TurningOffload:
    """The offload door whose results arrive inside a turn, so that a round of syncs is answered with one write
    per connection."""

    def __init__(self, offload: Offload, turn: Turn) -> None:
        self._offload = offload
        self._turn = turn

    def submit(self, work: Callable[[], T], done: Callable[[T | None, BaseException | None], None]) -> None:
        def arrived(result: T | None, error: BaseException | None) -> None:
            self._turn.enter()
            try:
                done(result, error)
            finally:
                self._turn.leave()

        self._offload.submit(work, arrived)

    async def run(self, work: Callable[[], T]) -> T:
        return await self._offload.run(work)
