"""Timers in buckets: never early, in order, gone when cancelled."""

from __future__ import annotations

import asyncio
import gc
import random
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from moldau.environment.real.clock import FAR_GRAIN_MS, FAR_MS, RealClock


def on_a_loop(story: Callable[[RealClock], Any]) -> None:
    async def run() -> None:
        await story(RealClock(asyncio.get_running_loop()))

    asyncio.run(run())


def test_timers_fire_in_the_order_of_their_deadlines_and_never_early() -> None:
    async def story(clock: RealClock) -> None:
        chance = random.Random(1)
        start_ms = clock.monotonic_ms()
        fired: list[tuple[int, int]] = []
        deadlines = [start_ms + chance.randrange(-5, 40) for _ in range(200)]

        def note(due_ms: int) -> None:
            fired.append((due_ms, clock.monotonic_ms()))

        for deadline_ms in deadlines:
            clock.call_at(deadline_ms, partial(note, deadline_ms))
        await asyncio.sleep(0.08)
        assert [due for due, _ in fired] == sorted(deadlines)
        assert all(at >= due for due, at in fired)

    on_a_loop(story)


def test_a_cancelled_timer_never_fires_and_is_let_go() -> None:
    async def story(clock: RealClock) -> None:
        class Owner:
            def __init__(self) -> None:
                self.fired = 0

            def fire(self) -> None:
                self.fired += 1

        owner = Owner()
        kept = clock.call_at(clock.monotonic_ms() + 10, owner.fire)
        clock.call_at(clock.monotonic_ms() + 10, owner.fire).cancel()
        gone = Owner()
        seen = weakref.ref(gone)
        timer = clock.call_at(clock.monotonic_ms() + 500, gone.fire)
        timer.cancel()
        gc.disable()
        try:
            del gone, timer
            assert seen() is None
        finally:
            gc.enable()
        await asyncio.sleep(0.03)
        assert owner.fired == 1
        kept.cancel()  # harmless

    on_a_loop(story)


def test_a_callback_sets_and_cancels_timers_also_of_its_own_bucket() -> None:
    async def story(clock: RealClock) -> None:
        fired: list[str] = []
        due_ms = clock.monotonic_ms() + 5

        def first() -> None:
            fired.append("first")
            second.cancel()
            clock.call_at(due_ms, lambda: fired.append("late"))

        clock.call_at(due_ms, first)
        second = clock.call_at(due_ms, lambda: fired.append("second"))
        clock.call_at(due_ms, lambda: fired.append("third"))
        await asyncio.sleep(0.03)
        assert fired == ["first", "third", "late"]

    on_a_loop(story)


def test_a_callback_that_fails_is_told_and_stops_nobody() -> None:
    async def story(clock: RealClock) -> None:
        told: list[BaseException] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context["exception"]))
        fired: list[int] = []
        due_ms = clock.monotonic_ms() + 5
        clock.call_at(due_ms, lambda: fired.append(1 // 0))
        clock.call_at(due_ms, lambda: fired.append(1))
        clock.call_at(due_ms + 1, lambda: fired.append(2))
        await asyncio.sleep(0.03)
        assert fired == [1, 2]
        assert [type(failure) for failure in told] == [ZeroDivisionError]

    on_a_loop(story)


def test_far_timers_share_coarse_buckets_and_are_not_early() -> None:
    async def story(clock: RealClock) -> None:
        now_ms = clock.monotonic_ms()
        for ahead in range(2 * FAR_GRAIN_MS):
            clock.call_at(now_ms + FAR_MS + FAR_GRAIN_MS + ahead, lambda: None)
        assert len(clock._buckets) <= 4
        assert min(clock._buckets) >= now_ms + FAR_MS + FAR_GRAIN_MS

    on_a_loop(story)
