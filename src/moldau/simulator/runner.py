"""One run: a seed and a scenario in, a report out.

Called by the command, the corpus and tests. Equal seeds give equal reports: in one process, in another, on another day.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from moldau.simulator.errors import Finding
from moldau.simulator.loop import NS_PER_SECOND
from moldau.simulator.network import Weather
from moldau.simulator.world import World


class Scenario(Protocol):
    """What is run, what is done to it, and what must hold."""

    @property
    def name(self) -> str: ...

    @property
    def sometimes(self) -> tuple[str, ...]:
        """Counters that must not stay at zero over a corpus: what never happened was never tested."""

    @property
    def limit_s(self) -> int:
        """Virtual seconds after which a run is stuck."""

    def weather(self, draw: random.Random) -> Weather:
        """This run's network."""

    async def play(self, world: World) -> None:
        """The whole run; raises a `Finding` when a promise is broken."""


@dataclass(frozen=True, slots=True)
class Report:
    """How a run went."""

    seed: int
    scenario: str
    digest: str
    counters: Mapping[str, int]
    steps: int
    virtual_ms: int
    finding: str | None
    lines: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.finding is None


def run(seed: int, scenario: Scenario, *, keep_trace: bool = False, max_steps: int = 3_000_000) -> Report:
    """Play it once. Whatever is raised ends up in the report."""
    weather = scenario.weather(random.Random(f"{seed}:weather"))
    world = World(seed, weather=weather, keep_trace=keep_trace)
    finding: str | None = None
    try:
        world.loop.run(scenario.play(world), limit_ns=scenario.limit_s * NS_PER_SECOND, max_steps=max_steps)
    except Finding as found:
        finding = f"{type(found).__name__}: {found}{_where(found.__cause__)}"
    except Exception as raised:
        finding = f"Unhandled: {type(raised).__name__}: {raised}{_where(raised)}"
    report = Report(
        seed=seed,
        scenario=scenario.name,
        digest=world.trace.digest(),
        counters=dict(sorted(world.counters.items())),
        steps=world.loop.steps,
        virtual_ms=world.loop.now_ns // 1_000_000,
        finding=finding,
        lines=tuple(world.trace.lines),
    )
    world.close()
    return report


def _where(cause: BaseException | None) -> str:
    """File and line of the deepest frames, without addresses."""
    if cause is None:
        return ""
    frames = []
    traceback = cause.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames.append(f"\n  {code.co_filename.rpartition('/moldau/')[2]}:{traceback.tb_lineno} {code.co_qualname}")
        traceback = traceback.tb_next
    return "".join(frames[-_FRAMES:])


_FRAMES = 12
