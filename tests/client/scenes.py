"""Running coroutines with a bound, and a network whose connections a test can break and hold."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from moldau.environment.doors import Connection, Environment, Part, Receiver
from moldau.environment.real import real_environment


def run(scene: Callable[[], Awaitable[None]], seconds: float = 20) -> None:
    """Run a scene that must not take longer."""

    async def bounded() -> None:
        async with asyncio.timeout(seconds):
            await scene()

    asyncio.run(bounded())


class Tapped:
    """Connections over the real network that can be broken, held, and made to lose what comes back."""

    def __init__(self, environment: Environment) -> None:
        self._network = environment.network
        self.connections: list[Line] = []
        self.broken_after: int | None = None
        """How many more sends go through before each next one breaks its connection instead."""
        self.refused = False

    async def connect(self, host: str, port: int, attach: Callable[[Connection], Receiver]) -> Connection:
        if self.refused:
            raise ConnectionRefusedError(111, "refused")
        line = Line(self, f"{host}:{port}")

        def attach_line(connection: Connection) -> Receiver:
            line.connection = connection
            line.receiver = attach(line)
            return line.receiver

        await self._network.connect(host, port, attach_line)
        self.connections.append(line)
        return line

    def listen(self, host: str, port: int, accept: Any) -> Any:
        raise NotImplementedError

    def break_all(self) -> None:
        for line in self.connections:
            line.connection.abort()
        self.connections.clear()

    def hold(self) -> None:
        """Answers stay unread."""
        for line in self.connections:
            line.connection.pause()

    def release(self) -> None:
        for line in self.connections:
            line.connection.resume()


class Line:
    """One connection."""

    connection: Connection
    receiver: Receiver

    def __init__(self, tap: Tapped, peer: str) -> None:
        self.peer = peer
        self._tap = tap

    @property
    def queued_bytes(self) -> int:
        return self.connection.queued_bytes

    def send(self, parts: Sequence[Part]) -> None:
        tap = self._tap
        if tap.broken_after is not None:
            tap.broken_after -= 1
            if tap.broken_after < 0:
                tap.broken_after = None
                self.connection.send(parts)
                self.connection.abort()
                return
        self.connection.send(parts)

    def pause(self) -> None:
        self.connection.pause()

    def resume(self) -> None:
        self.connection.resume()

    def close(self) -> None:
        self.connection.close()

    def abort(self) -> None:
        self.connection.abort()


def tapped() -> tuple[Environment, Tapped]:
    """The real doors on the running loop, and the tap on the network's."""
    environment = real_environment(asyncio.get_running_loop())
    tap = Tapped(environment)
    return dataclasses.replace(environment, network=tap), tap
