"""One request on its way through a handler, and what a handler may give back.

A handler is a plain function `handle(request, call)`. It returns the answer's message, or `PARKED`
after `call.park()`, or `NO_ANSWER`, or `HANG_UP`. It never waits.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from moldau.broker.connection import ClientConnection, Place
    from moldau.broker.node import Node
    from moldau.broker.router import Route


class Outcome(Enum):
    """What a handler gives back instead of an answer."""

    PARKED = "the answer comes later, through the call"
    NO_ANSWER = "the client awaits none"
    HANG_UP = "nothing can be answered; the client learns it from the closed connection"


PARKED = Outcome.PARKED
NO_ANSWER = Outcome.NO_ANSWER
HANG_UP = Outcome.HANG_UP


class Call:
    """One request: where it came from and how it is answered."""

    __slots__ = ("_place", "connection", "correlation_id", "node", "route")

    def __init__(self, node: Node, route: Route, correlation_id: int, connection: ClientConnection) -> None:
        self.node = node
        self.route = route
        self.correlation_id = correlation_id
        self.connection = connection
        self._place: Place | None = None

    @property
    def version(self) -> int:
        """The version that the client speaks."""
        return self.route.version

    def park(self, dropped: Callable[[], None] | None = None) -> None:
        """Keep the place in the connection's answers; `dropped` is called when the connection goes first."""
        assert self._place is None, "a call is parked once"
        self._place = self.connection.park()
        self._place.dropped = dropped

    def finish(self, response: Any) -> None:
        """Answer, parked or not (for a handler that failed)."""
        if self._place is None:
            self.connection.answer(self.route.encode(self.correlation_id, response))
        else:
            self.answer(response)

    def answer(self, response: Any) -> None:
        """Answer a parked call (once)."""
        assert self._place is not None, "only a parked call is answered later"
        self._place.answer(self.route.encode(self.correlation_id, response))
