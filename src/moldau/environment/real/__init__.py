"""The real doors: sockets, files, clock, chance and threads; the only place that touches them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable

from moldau.environment.doors import Environment
from moldau.environment.real.chance import RealChance
from moldau.environment.real.clock import RealClock
from moldau.environment.real.disk import RealDisk
from moldau.environment.real.network import RealNetwork
from moldau.environment.real.offload import RealOffload

__all__ = ["real_environment"]


def real_environment(
    loop: asyncio.AbstractEventLoop, report: Callable[[str], None] = lambda line: print(line, file=sys.stderr)
) -> Environment:
    """All five doors on one event loop; `report` is told when connections must be refused."""
    return Environment(
        clock=RealClock(loop),
        chance=RealChance(),
        network=RealNetwork(loop, report),
        disk=RealDisk(),
        offload=RealOffload(loop),
    )
