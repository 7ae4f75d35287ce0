"""The garbage collector of a serving process: out of the way of requests.

What start-up made is never looked at again, young objects are collected seldom, and the old generation only while
the loop has nothing to do. Called once, by whoever owns the process.
"""

from __future__ import annotations

import asyncio
import gc

YOUNG = 50_000
MIDDLE = 50
NEVER = 1_000_000
IDLE_CHECK_S = 5.0
IDLE_DELAY_S = 0.002
"""The loop counts as idle when a timer fires within this of its time …"""
OLD_AFTER_MIDDLE = 4
"""… and the old generation is collected once this many middle collections have fed it."""


def calm_collector(loop: asyncio.AbstractEventLoop) -> None:
    """Freeze what there is, and collect the old generation from now on when the loop is idle."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, NEVER)
    _check_later(loop)


def _check_later(loop: asyncio.AbstractEventLoop) -> None:
    due = loop.time() + IDLE_CHECK_S
    loop.call_at(due, _check, loop, due)


def _check(loop: asyncio.AbstractEventLoop, due: float) -> None:
    if gc.get_count()[2] >= OLD_AFTER_MIDDLE and loop.time() - due < IDLE_DELAY_S:
        gc.collect()
    _check_later(loop)
