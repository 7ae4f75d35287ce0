"""What is done to the platform while it works: deaths, lost connections, cuts, a slow disk, a clock that steps.

Each run draws which kinds it gets and how often, so that some runs see one kind alone and others everything at once.
Called by scenarios with one victim machine, which is started again after each death by `start`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence

from moldau.simulator.world import World

POLL_S = 0.05
"""How often a supervisor looks whether its process is there."""


class Harm:
    """One run's faults against one server and those who talk to it."""

    def __init__(
        self,
        world: World,
        victim: str,
        others: Callable[[], Sequence[str]],
        start: Callable[[], None],
        kill_other: Callable[[random.Random], None],
    ) -> None:
        self._world = world
        self._machine = world.machine(victim)
        self._others = others
        self._start = start
        self._kill_other = kill_other
        self._draw = world.draw("harm")
        self._supervision = world.draw("supervision")
        self._peace = False
        kinds = [
            *(self._kill, self._power, self._power_in_a_call, self._fail_sync, self._fail_write, self._slow),
            *(self._reset, self._lose, self._cut, self._kill_client, self._stop_process, self._step),
        ]
        self._kinds = [kind for kind in kinds if self._draw.random() < _CHOSEN] or [self._draw.choice(kinds)]
        self._pause_s = self._draw.choice((0.05, 0.3, 1.0))

    async def supervise(self) -> None:
        """Keep the victim running: after each death it stays away for a drawn while. Never ends."""
        while True:
            await asyncio.sleep(POLL_S)
            if self._machine.alive:
                continue
            if not self._peace:
                await asyncio.sleep(self._supervision.choice((0.0, 0.3, 3.0)) * self._supervision.random())
                if not self._peace and self._supervision.random() < _CUT_RECOVERY:
                    self._world.counters["power cut armed before recovery"] += 1
                    self._machine.faults.cut_in = self._supervision.randint(0, 60)
            self._world.counters["started again"] += 1
            self._start()

    async def do(self, duration_s: float) -> None:
        """The first phase: harm at drawn moments."""
        end_s = self._world.loop.time() + duration_s
        while self._world.loop.time() < end_s:
            await asyncio.sleep(self._draw.expovariate(1 / self._pause_s))
            kind = self._draw.choice(self._kinds)
            if self._machine.alive:
                self._world.trace.note(self._world.loop.now_ns, "harm", kind.__name__)
                kind()

    def heal(self) -> None:
        """The second phase: nothing breaks any more, and what was broken comes back."""
        self._peace = True
        faults = self._machine.faults
        faults.cut_in = faults.fail_sync_in = faults.fail_write_in = None
        faults.slow_sync_chance = 0.0
        self._world.fabric.heal()

    def _kill(self) -> None:
        self._world.counters["process killed"] += 1
        self._world.kill(self._machine.name)

    def _power(self) -> None:
        self._world.counters["power cut"] += 1
        self._world.cut_power(self._machine.name)

    def _power_in_a_call(self) -> None:
        self._machine.faults.cut_in = self._draw.randint(0, 30)

    def _reset(self) -> None:
        self._to_some_connection("connection reset", self._world.fabric.reset)

    def _lose(self) -> None:
        self._to_some_connection("connection lost silently", self._world.fabric.lose)

    def _to_some_connection(self, name: str, act: Callable[..., None]) -> None:
        living = self._world.fabric.live_connections()
        if living:
            self._world.counters[name] += 1
            act(self._draw.choice(living))

    def _cut(self) -> None:
        self._world.counters["network cut"] += 1
        other = self._draw.choice(self._others())
        directions = [(self._machine.name, other), (other, self._machine.name)]
        for source, target in self._draw.sample(directions, self._draw.randint(1, 2)):
            self._world.fabric.cut(source, target)
        self._later(self._draw.uniform(0, 3), self._world.fabric.heal)

    def _slow(self) -> None:
        self._world.counters["disk slow"] += 1
        faults = self._machine.faults
        faults.slow_sync_chance = self._draw.choice((0.02, 0.3, 0.9))
        self._later(self._draw.uniform(0, 2), lambda: setattr(faults, "slow_sync_chance", 0.0))

    def _fail_sync(self) -> None:
        self._machine.faults.fail_sync_in = self._draw.randint(0, 10)

    def _fail_write(self) -> None:
        self._machine.faults.fail_write_in = self._draw.randint(0, 20)

    def _stop_process(self) -> None:
        self._world.counters["process stopped for a while"] += 1
        names = [self._machine.name, *self._others()]
        node = self._world.machine(self._draw.choice(names)).node
        if node is not None:
            self._world.loop.freeze(node)
            self._later(self._draw.choice((0.1, 5.0)) * self._draw.random(), lambda: self._world.loop.thaw(node))

    def _kill_client(self) -> None:
        if len(self._others()) > 1:
            self._kill_other(self._draw)

    def _step(self) -> None:
        self._world.counters["wall clock stepped"] += 1
        self._world.step_wall(self._machine.name, self._draw.choice((-600_000, -1_000, 1_000, 600_000)))

    def _later(self, delay_s: float, act: Callable[[], None]) -> None:
        self._world.loop.call_later(delay_s, act, context=self._world.loop.world.context)


_CHOSEN = 0.6
_CUT_RECOVERY = 0.2
