"""The loop: virtual time, seeded order, death without `finally`, and every bad end."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Coroutine
from typing import Any

import pytest

from moldau.simulator.errors import Deadlock, Escape, Stuck, Unhandled
from moldau.simulator.loop import NS_PER_SECOND, SimulatedLoop
from moldau.simulator.node import Node
from moldau.simulator.trace import Trace, first_difference


def new_loop(seed: int = 1, *, keep: bool = False) -> SimulatedLoop:
    return SimulatedLoop(random.Random(seed), Trace(keep=keep))


def drive(loop: SimulatedLoop, main: Coroutine[Any, Any, Any], *, limit_s: int = 100) -> Any:
    try:
        return loop.run(main, limit_ns=limit_s * NS_PER_SECOND, max_steps=100_000)
    finally:
        loop.close()


def test_sleep_costs_virtual_time_only() -> None:
    loop = new_loop()

    async def main() -> float:
        before = loop.time()
        await asyncio.sleep(90)
        return loop.time() - before

    assert 90 <= drive(loop, main()) < 90.001


def test_timers_of_one_deadline_keep_their_order() -> None:
    loop = new_loop()
    seen: list[int] = []

    async def main() -> None:
        for number in range(20):
            loop.call_later(1, seen.append, number)
        cancelled = loop.call_later(1, seen.append, 99)
        cancelled.cancel()
        await asyncio.sleep(2)

    drive(loop, main())
    assert seen == list(range(20))


def test_plain_callbacks_of_a_node_stay_in_order_and_tasks_are_shuffled() -> None:
    def order_of(seed: int) -> tuple[list[int], list[int]]:
        loop = new_loop(seed)
        called: list[int] = []
        woken: list[int] = []

        async def one(number: int) -> None:
            await asyncio.sleep(0)
            woken.append(number)

        async def main() -> None:
            for number in range(10):
                loop.call_soon(called.append, number)
            await asyncio.gather(*(one(number) for number in range(10)))

        drive(loop, main())
        return called, woken

    orders = [order_of(seed) for seed in range(5)]
    assert all(called == list(range(10)) for called, _ in orders)
    assert all(sorted(woken) == list(range(10)) for _, woken in orders)
    assert len({tuple(woken) for _, woken in orders}) > 1
    assert order_of(3) == order_of(3)


def test_sets_of_tasks_have_the_same_order_in_every_run() -> None:
    def run_once() -> tuple[list[str], str]:
        loop = new_loop(keep=True)
        seen: list[str] = []

        async def one(number: int) -> int:
            try:
                await asyncio.sleep(1)
            except asyncio.CancelledError:
                seen.append(f"cancelled {number}")
                raise
            return number

        async def failing() -> None:
            raise ValueError("on purpose")

        async def main() -> None:
            tasks = [asyncio.create_task(one(number)) for number in range(10)]
            done, _ = await asyncio.wait(tasks)
            seen.extend(str(task.result()) for task in done)
            with pytest.raises(ExceptionGroup):
                await in_a_group()

        async def in_a_group() -> None:
            async with asyncio.TaskGroup() as group:
                for number in range(10):
                    group.create_task(one(number))
                group.create_task(failing())

        drive(loop, main())
        return seen, loop.trace.digest()

    assert len({str(run_once()) for _ in range(8)}) == 1


def test_a_dead_node_runs_nothing_more_not_even_finally() -> None:
    loop = new_loop()
    seen: list[str] = []

    async def life() -> None:
        try:
            seen.append("began")
            asyncio.get_running_loop().call_later(5, seen.append, "timer")
            await asyncio.create_task(below())
        finally:
            seen.append("finally")

    async def below() -> None:
        try:
            await asyncio.sleep(10)
        finally:
            seen.append("finally below")

    async def main() -> None:
        node = Node("n", 1)
        loop.create_task(life(), context=node.context.copy())
        await asyncio.sleep(1)
        assert len(loop.pending_tasks(node)) == 2
        loop.bury(node)
        await asyncio.sleep(100)
        assert seen == ["began"]
        assert loop.pending_tasks(node) == []

    drive(loop, main(), limit_s=200)


def test_a_stopped_process_goes_on_later_in_order() -> None:
    loop = new_loop()
    seen: list[int] = []

    async def main() -> None:
        node = Node("n")
        loop.freeze(node)
        for number in range(5):
            loop.call_in(node, seen.append, number)
        await asyncio.sleep(10)
        assert seen == []
        loop.thaw(node)
        loop.call_in(node, seen.append, 5)
        await asyncio.sleep(1)

    drive(loop, main())
    assert seen == [0, 1, 2, 3, 4, 5]


def test_a_future_set_by_another_node_wakes_the_waiter_as_itself() -> None:
    loop = new_loop(keep=True)

    async def main() -> None:
        ours, theirs = Node("ours"), Node("theirs")
        future = loop.create_future()

        async def wait() -> None:
            await future
            loop.call_soon(lambda: None)

        async def wake() -> None:
            future.set_result(None)

        waiting = loop.create_task(wait(), context=ours.context.copy())
        await asyncio.sleep(1)
        loop.create_task(wake(), context=theirs.context.copy())
        await waiting
        await asyncio.sleep(1)

    drive(loop, main())
    assert [line.split()[1] for line in loop.trace.lines if "lambda" in line] == ["ours.0"]


def test_deadlock_is_found_with_who_waits() -> None:
    loop = new_loop()

    async def main() -> None:
        await loop.create_future()

    with pytest.raises(Deadlock, match="main"):
        drive(loop, main())


def test_an_endless_run_is_found_by_time_and_by_steps() -> None:
    async def forever(pause_s: float) -> None:
        for _ in itertools.count():
            await asyncio.sleep(pause_s)

    with pytest.raises(Stuck):
        drive(new_loop(), forever(1))
    with pytest.raises(Stuck):
        drive(new_loop(), forever(0), limit_s=10_000)


def test_an_exception_that_nobody_takes_ends_the_run() -> None:
    async def main_with_task() -> None:
        async def failing() -> None:
            raise ValueError("lost")

        task = asyncio.create_task(failing())
        await asyncio.sleep(1)
        del task
        await asyncio.sleep(1)

    async def main_with_callback() -> None:
        asyncio.get_running_loop().call_soon(lambda: 1 / 0)
        await asyncio.sleep(1)

    with pytest.raises(Unhandled, match="lost"):
        drive(new_loop(), main_with_task())
    with pytest.raises(Unhandled, match="division"):
        drive(new_loop(), main_with_callback())


@pytest.mark.parametrize("reach", ["add_reader", "run_in_executor", "create_connection", "sock_recv"])
def test_a_reach_for_the_machine_is_an_escape(reach: str) -> None:
    loop = new_loop()

    async def main() -> None:
        getattr(asyncio.get_running_loop(), reach)(0, lambda: None)

    with pytest.raises(Escape, match=reach):
        drive(loop, main())


def test_async_generators_left_behind_are_closed_by_the_loop() -> None:
    loop = new_loop()
    seen: list[str] = []

    async def numbers() -> Any:
        try:
            yield 1
            yield 2
        finally:
            await asyncio.sleep(0)
            seen.append("closed")

    async def main() -> None:
        async for _ in numbers():
            break
        await asyncio.sleep(1)

    drive(loop, main())
    assert seen == ["closed"]


def test_first_difference_shows_what_led_to_it() -> None:
    assert first_difference(["a\n", "b\n"], ["a\n", "b\n"]) is None
    assert "one:   b" in str(first_difference(["a\n", "b\n"], ["a\n", "c\n"]))
    assert "went on" in str(first_difference(["a\n"], ["a\n", "c\n"]))
