"""Who may come in: accepts connections under finite limits, looks them over now and then, and sees them all out.

Made by the assembly, one for all listening addresses of a broker. It reads no frame.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from moldau.broker.connection import ClientConnection, Serve
from moldau.broker.journal import Journal
from moldau.broker.settings import Endpoint
from moldau.broker.turn import Turn
from moldau.environment.doors import Clock, Connection, Listener, Network, Timer
from moldau.metrics import Registry

ROUND_MS = 2_000
"""How often connections are looked over; deadlines are this coarse."""


class ConnectionLimits(NamedTuple):
    """How many connections there may be, and what each may ask for."""

    connections: int
    connections_per_address: int
    request_bytes: int
    idle_ms: int


class Reception:
    """All accepted connections of one broker."""

    def __init__(
        self, network: Network, clock: Clock, turn: Turn, journal: Journal, metrics: Registry, limits: ConnectionLimits
    ) -> None:
        self._network = network
        self._clock = clock
        self._turn = turn
        self._journal = journal
        self._limits = limits
        self._metrics = metrics
        self._accepted = metrics.counter("connections_accepted")
        self._refused = metrics.counter("connections_refused")
        self._connections: dict[ClientConnection, str] = {}
        self._per_address: dict[str, int] = {}
        self._listeners: list[Listener] = []
        self._serve: Serve | None = None
        self._round: Timer | None = None
        self._emptied: Callable[[], None] | None = None

    @property
    def count(self) -> int:
        """Connections that are open."""
        return len(self._connections)

    def listen(self, endpoint: Endpoint) -> Listener:
        """Take the address, and its connections once `open` is called; OSError when the address cannot be had."""

        def accept(door: Connection) -> ClientConnection | None:
            return self._accept(door, endpoint.name)

        listener = self._network.listen(endpoint.host, endpoint.port, accept)
        self._listeners.append(listener)
        return listener

    def open(self, serve: Serve) -> None:
        """Take connections from now on, whose frames `serve` handles; until then those who try are turned away, and
        try again."""
        self._serve = serve
        self._next_round()

    def close_listeners(self) -> None:
        """Take no further connection."""
        self._serve = None
        for listener in self._listeners:
            listener.close()
        self._listeners.clear()
        if self._round is not None:
            self._round.cancel()
            self._round = None

    def close_connections(self, emptied: Callable[[], None]) -> None:
        """Close every connection once its queued answers have left; `emptied` is called when none is left."""
        self._emptied = emptied
        for connection in list(self._connections):
            connection.door.close()
        if not self._connections:
            emptied()

    def abort_connections(self) -> None:
        """Drop every connection now."""
        for connection in list(self._connections):
            connection.door.abort()

    def connection_ended(self, connection: ClientConnection, reason: str | None) -> None:
        address = self._connections.pop(connection)
        left = self._per_address[address] - 1
        if left:
            self._per_address[address] = left
        else:
            del self._per_address[address]
        if reason is not None:
            self._journal.tell("connection failed", f"connection from {connection.door.peer} failed: {reason}")
        if not self._connections and self._emptied is not None:
            self._emptied()

    def connection_refused(self, connection: ClientConnection, cause: str, text: str) -> None:
        self._metrics.counter("connections_closed", cause).value += 1
        self._journal.tell(f"closed {cause}", f"closed the connection from {connection.door.peer}: {text}")

    def _accept(self, door: Connection, listener: str) -> ClientConnection | None:
        if self._serve is None:
            return None
        address = door.peer.rpartition(":")[0]
        of_address = self._per_address.get(address, 0)
        if len(self._connections) >= self._limits.connections:
            self._refuse(door, f"max.connections is {self._limits.connections}")
            return None
        if of_address >= self._limits.connections_per_address:
            self._refuse(door, f"max.connections.per.ip is {self._limits.connections_per_address}")
            return None
        self._accepted.value += 1
        self._per_address[address] = of_address + 1
        connection = ClientConnection(door, listener, self._serve, self._turn, self._limits.request_bytes, self)
        self._connections[connection] = address
        return connection

    def _refuse(self, door: Connection, why: str) -> None:
        self._refused.value += 1
        self._journal.tell("refused", f"refused a connection from {door.peer}: {why}")

    def _next_round(self) -> None:
        self._round = self._clock.call_at(self._clock.monotonic_ms() + ROUND_MS, self._look_over)

    def _look_over(self) -> None:
        now_ms = self._clock.monotonic_ms()
        for connection in list(self._connections):
            overdue = connection.overdue(now_ms, self._limits.idle_ms)
            if overdue is not None:
                cause, text = overdue
                if cause != "idle":
                    self.connection_refused(connection, cause, text)
                connection.door.abort()
        self._next_round()
