"""Who waits at a partition: produces for the high watermark to pass their last record, fetches for anything to read.

Used by `Partition` alone. Pure: it returns whom to call and never calls. Produces stand in the order of their offsets,
fetches in the order in which they came.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from moldau.model import ErrorCode

MAX_PARKED_PRODUCES = 50_000
MAX_PARKED_FETCHES = 50_000


class ParkedProduce:
    """A produce that is answered once `offset` is below the high watermark, or at its deadline."""

    __slots__ = ("deadline_ms", "done", "offset")

    def __init__(self, offset: int, deadline_ms: int, done: Callable[[ErrorCode], None] | None) -> None:
        self.offset = offset
        self.deadline_ms = deadline_ms
        self.done = done


class ParkedFetch:
    """A fetch that is told once, when there is more to read or no more to be had here."""

    __slots__ = ("wake",)

    def __init__(self, wake: Callable[[], None]) -> None:
        self.wake = wake


Token = ParkedProduce | ParkedFetch


class Waiting:
    """Everybody parked at one partition."""

    __slots__ = ("fetches", "produces")

    def __init__(self) -> None:
        self.produces: deque[ParkedProduce] = deque()
        self.fetches: dict[ParkedFetch, None] = {}

    def park_produce(self, parked: ParkedProduce) -> None:
        """Keep it in the order of offsets; a duplicate may ask for an earlier one."""
        produces = self.produces
        if not produces or produces[-1].offset <= parked.offset:
            produces.append(parked)
            return
        place = len(produces)
        while place and produces[place - 1].offset > parked.offset:
            place -= 1
        produces.insert(place, parked)

    def cancel(self, token: Token) -> None:
        """Never call it; harmless when it has been."""
        if isinstance(token, ParkedFetch):
            self.fetches.pop(token, None)
        else:
            token.done = None

    def take_committed(self, high_watermark: int) -> list[Callable[[ErrorCode], None]]:
        """The produces whose last record is below the high watermark."""
        produces, done = self.produces, []
        while produces and produces[0].offset < high_watermark:
            parked = produces.popleft()
            if parked.done is not None:
                done.append(parked.done)
        return done

    def take_expired(self, now_ms: int) -> list[Callable[[ErrorCode], None]]:
        """The produces whose time is over."""
        expired = [parked for parked in self.produces if parked.deadline_ms <= now_ms]
        self.produces = deque(parked for parked in self.produces if parked.deadline_ms > now_ms)
        return [parked.done for parked in expired if parked.done is not None]

    def take_produces(self) -> list[Callable[[ErrorCode], None]]:
        """All produces."""
        taken, self.produces = self.produces, deque()
        return [parked.done for parked in taken if parked.done is not None]

    def take_fetches(self) -> list[Callable[[], None]]:
        """All fetches."""
        taken, self.fetches = self.fetches, {}
        return [parked.wake for parked in taken]

    @property
    def deadline_ms(self) -> int | None:
        """The earliest deadline of a produce."""
        return min((parked.deadline_ms for parked in self.produces), default=None)
