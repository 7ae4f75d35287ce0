"""Machines, their lives and their doors: everything around the code that is run.

The runner makes one `World` for each seed. Scenarios start nodes in it, and let them die.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine
from random import Random
from typing import Any, TypeVar

from moldau.environment.doors import Environment
from moldau.environment.memory.chance import SeededChance
from moldau.simulator.clock import SimulatedClock
from moldau.simulator.disk import DiskFaults, SimulatedDisk
from moldau.simulator.image import Image
from moldau.simulator.loop import NS_PER_SECOND, SimulatedLoop
from moldau.simulator.network import Fabric, SimulatedNetwork, Weather
from moldau.simulator.node import Node
from moldau.simulator.offload import SimulatedOffload
from moldau.simulator.trace import Trace

T = TypeVar("T")


class Machine:
    """What outlives a process: a name, a disk, a wall clock that is off."""

    def __init__(self, name: str, wall_offset_ms: int) -> None:
        self.name = name
        self.image = Image()
        self.faults = DiskFaults()
        self.locks: dict[str, Node] = {}
        self.wall_offset_ms = wall_offset_ms
        self.lives = 0
        self.node: Node | None = None
        self.disk: SimulatedDisk | None = None
        self.clock: SimulatedClock | None = None

    @property
    def alive(self) -> bool:
        return self.node is not None and self.node.alive


class World:
    """One run's machines on one loop, all drawn from one seed."""

    def __init__(self, seed: int | str, *, weather: Weather | None = None, keep_trace: bool = False) -> None:
        self.seed = seed
        self.trace = Trace(keep=keep_trace)
        self.loop = SimulatedLoop(self.draw("order"), self.trace)
        self.loop.on_power_cut = self._power_went
        self.fabric = Fabric(self.loop, self.draw("network"), weather or Weather())
        self.counters: Counter[str] = Counter()
        self._machines: dict[str, Machine] = {}
        self._memory: dict[Node, list[object]] = {}
        self._crash_draw = self.draw("crash")

    def draw(self, purpose: str) -> Random:
        """A new stream for this purpose; ask once."""
        return Random(f"{self.seed}:{purpose}")

    def machine(self, name: str) -> Machine:
        known = self._machines.get(name)
        if known is None:
            offset_ms = self.draw(f"wall:{name}").randint(-5_000, 5_000)
            known = self._machines[name] = Machine(name, offset_ms)
        return known

    def boot(self, name: str) -> tuple[Node, Environment]:
        """A new life on this machine; the one before must be over."""
        machine = self.machine(name)
        assert not machine.alive, f"{name} is running"
        machine.lives += 1
        node = Node(name, machine.lives)
        draw = self.draw(f"{node.label}:doors")
        disk = SimulatedDisk(self.loop, node, machine.image, machine.faults, draw, machine.locks)
        clock = SimulatedClock(
            self.loop, node, beginning_ns=draw.randrange(1000 * NS_PER_SECOND), wall_offset_ms=machine.wall_offset_ms
        )
        machine.node, machine.disk, machine.clock = node, disk, clock
        self.fabric.machine_is_back(name)
        return node, Environment(
            clock=clock,
            chance=SeededChance(f"{self.seed}:{node.label}"),
            network=SimulatedNetwork(self.fabric, node),
            disk=disk,
            offload=SimulatedOffload(self.loop, node, disk, draw),
        )

    def start(self, node: Node, code: Coroutine[Any, Any, T], name: str | None = None) -> asyncio.Task[T]:
        """Run it as the node, in a task of its own."""
        return self.loop.create_task(code, name=name, context=node.context.copy())

    def remember(self, node: Node, memory: object) -> None:
        """Keep this object alive, unrun, when the node has died: no finalizer of the dead runs."""
        self._memory.setdefault(node, []).append(memory)

    def kill(self, name: str) -> None:
        """The process ends here and now. What it wrote stays with the kernel; its connections end."""
        self._end_life(self.machine(name), with_machine=False)

    def cut_power(self, name: str) -> None:
        """The machine ends here and now. Its disk keeps what was synced and a drawn part of the rest."""
        machine = self.machine(name)
        self._end_life(machine, with_machine=True)
        machine.faults.cut_in = None
        if any(file.unsynced for _, file in machine.image.files()):
            self.counters["power cut with unsynced writes"] += 1
        for path in machine.image.lose_power(self._crash_draw):
            self.counters["write torn"] += 1
            self.trace.note(self.loop.now_ns, name, f"torn {path}")

    def step_wall(self, name: str, difference_ms: int) -> None:
        """Somebody sets this machine's wall clock."""
        machine = self.machine(name)
        machine.wall_offset_ms += difference_ms
        if machine.clock is not None:
            machine.clock.wall_offset_ms = machine.wall_offset_ms

    def close(self) -> None:
        """The run is over."""
        self.loop.close()
        self._memory.clear()

    def _power_went(self, node: Node) -> None:
        self.counters["power cut inside a disk call"] += 1
        self.cut_power(node.name)

    def _end_life(self, machine: Machine, *, with_machine: bool) -> None:
        node = machine.node
        if node is None or not node.alive:
            return
        self.fabric.process_died(node, with_machine=with_machine)
        self.loop.bury(node, *self._memory.pop(node, ()))
        machine.node = machine.disk = machine.clock = None
