"""Which requests wait, which are in flight, and which answer belongs to which: the deciding half of a channel.

The channel is its only caller. It sees no bytes, no clock and no connection.

I1  A broker answers in the order it was asked: an answer belongs to the oldest request in flight, or the
    conversation is broken.
I2  At most `in_flight_limit` requests are in flight and at most `waiting_limit` wait behind them, in order.
I3  Every exchange leaves exactly once: answered, expired while it waited, or failed with all the others.
I4  Nothing is sent before a throttle has passed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from moldau.channel.errors import ChannelBusy, ChannelError
from moldau.environment.doors import Part
from moldau.protocol.apis import Api

Done = Callable[[Any, ChannelError | None], None]
"""Called once with the answer and None, or with None and what went wrong."""


@dataclass(slots=True)
class Exchange:
    """One request on its way to its answer."""

    correlation_id: int
    api: Api
    version: int
    parts: list[Part]
    deadline_ms: int
    done: Done
    answered: bool = True
    """Whether the broker answers this request (it does not when a produce asks for no acknowledgement)."""


class OutOfStep(Exception):  # noqa: N818  (it is caught one floor up and becomes a broken connection)
    """An answer that belongs to no request in flight."""


class Conversation:
    """Requests in order, bounded, each with a deadline."""

    def __init__(self, in_flight_limit: int, waiting_limit: int) -> None:
        assert in_flight_limit > 0
        assert waiting_limit >= 0
        self._in_flight_limit = in_flight_limit
        self._waiting_limit = waiting_limit
        self._next_id = 0
        self._waiting: deque[Exchange] = deque()
        self._in_flight: deque[Exchange] = deque()
        self._throttled_until_ms = 0

    def next_id(self) -> int:
        """The correlation id of the next request."""
        taken = self._next_id
        self._next_id = (taken + 1) & 0x7FFFFFFF
        return taken

    def submit(self, exchange: Exchange) -> None:
        """Queue a request; ChannelBusy when no more may wait."""
        if len(self._waiting) >= self._waiting_limit + self._room:
            raise ChannelBusy(
                f"{len(self._waiting)} requests already wait for this connection ({len(self._in_flight)} in flight)"
            )
        self._waiting.append(exchange)

    @property
    def in_flight(self) -> int:
        """How many requests have been sent and not answered."""
        return len(self._in_flight)

    def free(self, now_ms: int) -> bool:
        """Whether a request submitted now would be sent at once."""
        return not self._waiting and self._room > 0 and now_ms >= self._throttled_until_ms

    def take(self, now_ms: int) -> list[Exchange]:
        """What is to be sent now, in order."""
        taken: list[Exchange] = []
        if now_ms < self._throttled_until_ms:
            return taken  # I4
        while self._waiting and self._room > 0:
            exchange = self._waiting.popleft()
            if exchange.answered:
                self._in_flight.append(exchange)
            taken.append(exchange)
        return taken

    def answer(self, correlation_id: int) -> Exchange:
        """The request that this answer belongs to."""
        if not self._in_flight:
            raise OutOfStep(f"an answer (correlation id {correlation_id}) came and nothing was asked")
        expected = self._in_flight[0].correlation_id
        if correlation_id != expected:
            raise OutOfStep(f"the answer to request {correlation_id} came where that to {expected} was due")
        return self._in_flight.popleft()  # I1

    def throttle(self, until_ms: int) -> None:
        """Send nothing before this time."""
        self._throttled_until_ms = max(self._throttled_until_ms, until_ms)

    def wake_at(self, now_ms: int) -> int | None:
        """When there is something to do without anybody asking: a deadline, or the end of a throttle."""
        deadlines = [exchange.deadline_ms for exchange in self._in_flight]
        deadlines += [exchange.deadline_ms for exchange in self._waiting]
        if self._throttled_until_ms > now_ms:
            deadlines.append(self._throttled_until_ms)
        return min(deadlines, default=None)

    def overdue(self, now_ms: int) -> Exchange | None:
        """A request in flight whose deadline has passed; what comes behind it cannot be answered either (I1)."""
        return next((exchange for exchange in self._in_flight if exchange.deadline_ms <= now_ms), None)

    def expire_waiting(self, now_ms: int) -> list[Exchange]:
        """Drop and return the requests whose deadline passed before they were sent."""
        expired = [exchange for exchange in self._waiting if exchange.deadline_ms <= now_ms]
        if expired:
            self._waiting = deque(exchange for exchange in self._waiting if exchange.deadline_ms > now_ms)
        return expired

    def fail(self) -> list[Exchange]:
        """Everything that now has no answer, in order; the conversation is over."""
        lost = [*self._in_flight, *self._waiting]
        self._in_flight.clear()
        self._waiting.clear()
        return lost

    @property
    def _room(self) -> int:
        return self._in_flight_limit - len(self._in_flight)
