"""An event loop in virtual time: nothing waits, everything is ordered by the seed.

The runner makes one for each run and drives it with `run`; broker and clients see an ordinary asyncio loop. It never
touches a descriptor, a thread or a real clock.

L1  Time is integer nanoseconds. It moves by a fixed cost for each step, and jumps to the next timer when nothing is
    ready; timers of one deadline keep the order in which they were set.
L2  What is ready waits in lanes: one for each node's plain callbacks (first in, first out, as asyncio promises), one
    for each woken task. The seed chooses among lanes, never within one.
L3  A callback belongs to the node in whose context it was made. Those of a dead node are dropped, never run.
L4  Futures and tasks hash by number of creation, so that sets of them have the same order in every run.
L5  An exception that nobody takes ends the run; so do a deadlock, an endless run and a reach for the machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import heapq
import random
import sys
import warnings
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, copy_context
from typing import Any, TypeVar

from moldau.simulator.bounds import BoundedLoop
from moldau.simulator.errors import Deadlock, Finding, PowerCut, Stuck, Unhandled
from moldau.simulator.node import Node, owner_of, running_node
from moldau.simulator.trace import Trace

T = TypeVar("T")

STEP_NS = 1_000
"""What one step costs in virtual time, so that a loop that spins still reaches its deadline."""
COLLECT_EVERY = 50_000
"""Steps between two collections of garbage: finalizers run at the same step in every run."""
NS_PER_SECOND = 1_000_000_000


class SimulatedLoop(BoundedLoop):
    """One run's loop. `world` is the node of the simulator itself: it never dies."""

    def __init__(self, draw: random.Random, trace: Trace) -> None:
        self.now_ns = NS_PER_SECOND
        self.steps = 0
        self.trace = trace
        self.world = Node("world")
        self.on_power_cut: Callable[[Node], None] = self.bury
        self._draw = draw.random
        self._ready: list[_Step | _Lane] = []
        self._lanes: dict[Node, _Lane] = {}
        self._timers: list[tuple[int, int, _Step]] = []
        self._sequence = 0
        self._tasks: dict[int, SimulatedTask] = {}
        self._graves: list[object] = []
        self._findings: list[Finding] = []
        self._running = False
        self._closed = False

    # ------------------------------------------------------------------------------------- running

    def run(self, main: Coroutine[Any, Any, T], *, limit_ns: int, max_steps: int) -> T:
        """Drive `main`, in the world's context, to its end. Raises a `Finding` when it cannot get there."""
        future = self.create_task(main, name="main", context=self.world.context.copy())
        last_ns = self.now_ns + limit_ns
        last_step = self.steps + max_steps
        collecting = gc.isenabled()
        hooks = sys.get_asyncgen_hooks()
        gc.disable()
        gc.freeze()  # what was there before the run is not looked at by the run's collections
        sys.set_asyncgen_hooks(finalizer=self._finish_generator)
        asyncio._set_running_loop(self)
        self._running = True
        try:
            while not future.done():
                self._step()
                if self._findings:
                    raise self._findings[0]
                if self.now_ns > last_ns or self.steps > last_step:
                    raise Stuck(f"not over after {self.steps} steps and {self.now_ns / 1e9:.3f} s;{self._describe()}")
            result = future.result()
            gc.collect()
            if self._findings:
                raise self._findings[0]
            return result
        finally:
            self._running = False
            asyncio._set_running_loop(None)
            sys.set_asyncgen_hooks(*hooks)
            if collecting:
                gc.enable()

    def pending_tasks(self, node: Node) -> list[str]:
        """The names of a node's unfinished tasks, in the order they were made."""
        return [_name(task) for task in self._tasks.values() if task.owner is node]

    def bury(self, node: Node, *memory: object) -> None:
        """End a node's life between two steps (L3); `memory` is kept, unrun, until the loop closes."""
        node.alive = False
        self._graves.extend(memory)
        for number, task in list(self._tasks.items()):
            if task.owner is node:
                self._graves.append(self._tasks.pop(number))
        self.trace.note(self.now_ns, node.label, "dies")

    def freeze(self, node: Node) -> None:
        """The process is stopped, as by SIGSTOP or a pause of its machine; what comes for it waits."""
        if node.frozen is None:
            node.frozen = []
            self.trace.note(self.now_ns, node.label, "is stopped")

    def thaw(self, node: Node) -> None:
        """It goes on where it stopped, and finds that time has passed."""
        waiting, node.frozen = node.frozen or [], None
        for step in waiting:
            assert isinstance(step, _Step)
            self._enqueue(step)
        self.trace.note(self.now_ns, node.label, "goes on")

    def close(self) -> None:
        """Let go of everything. What finalizers of the dead do now reaches nobody."""
        self._closed = True
        hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._end_tasks()
                for held in (self._graves, self._tasks, self._timers, self._ready):
                    held.clear()
                self._lanes.clear()
                gc.collect()
        finally:
            gc.unfreeze()
            sys.unraisablehook = hook

    def _end_tasks(self) -> None:
        """Unwind what is left now, while nobody listens, and not whenever its last reference goes."""
        for held in [*self._graves, *self._tasks.values()]:
            if isinstance(held, SimulatedTask) and not held.done():
                with contextlib.suppress(BaseException):
                    held.get_coro().close()

    def _step(self) -> None:
        if not self._ready:
            self._jump()
        elif self._timers and self._timers[0][0] <= self.now_ns:
            self._release_due()
        step = self._choose()
        self.steps += 1
        self.now_ns += STEP_NS
        if self.steps % COLLECT_EVERY == 0:
            gc.collect()
        owner = step.owner
        if step.cancelled() or not owner.alive:  # L3
            return
        if owner.frozen is not None:
            owner.frozen.append(step)
            return
        self.trace.note(self.now_ns, owner.label, step.label)
        try:
            step.context.run(step.callback, *step.args)
        except PowerCut:
            pass
        except Finding as finding:
            self.find(finding)
        except Exception as error:
            self._unhandled(f"{step.label} in {owner.label}", error)
        if step.task is not None and step.task.done():
            self._tasks.pop(step.task.number, None)
        if owner.power_cut and owner.alive:
            self.on_power_cut(owner)

    def _choose(self) -> _Step:
        ready = self._ready
        index = int(self._draw() * len(ready)) if len(ready) > 1 else 0
        chosen = ready[index]
        if isinstance(chosen, _Lane):
            step = chosen.popleft()
            if chosen:
                return step
        else:
            step = chosen
        last = ready.pop()
        if last is not chosen:
            ready[index] = last
        return step

    def _jump(self) -> None:
        while self._timers:
            deadline_ns, _, step = heapq.heappop(self._timers)
            if step.cancelled() or not step.owner.alive:
                continue
            self.now_ns = max(self.now_ns, deadline_ns)
            self._enqueue(step)
            self._release_due()
            return
        raise Deadlock(f"nothing is ready and no timer is set;{self._describe()}")

    def _release_due(self) -> None:
        while self._timers and self._timers[0][0] <= self.now_ns:
            step = heapq.heappop(self._timers)[2]
            if not step.cancelled():
                self._enqueue(step)

    def _enqueue(self, step: _Step) -> None:
        if step.task is not None:
            self._ready.append(step)
            return
        lane = self._lanes.get(step.owner)
        if lane is None:
            lane = self._lanes[step.owner] = _Lane()
        if not lane:
            self._ready.append(lane)
        lane.append(step)

    def _describe(self) -> str:
        waiting = [f"\n  {task.owner.label}: {_name(task)}" for task in self._tasks.values()]
        return " unfinished tasks:" + "".join(waiting[:_SHOWN]) if waiting else " no task is unfinished"

    # ------------------------------------------------------------------------------------ callbacks

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        self._check_open()
        step = _Step(self, callback, args, context)
        self._enqueue(step)
        return step

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        return self.call_soon(callback, *args, context=context)

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at_ns(self.now_ns + max(0, round(delay * NS_PER_SECOND)), callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at_ns(round(when * NS_PER_SECOND), callback, *args, context=context)

    def call_at_ns(
        self, deadline_ns: int, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Like `call_at`, to the nanosecond."""
        self._check_open()
        step = _Step(self, callback, args, context, deadline_ns)
        self._sequence += 1
        heapq.heappush(self._timers, (deadline_ns, self._sequence, step))  # L1
        return step

    def call_in(self, node: Node, callback: Callable[..., object], *args: Any) -> asyncio.Handle:
        """Call soon, as the node."""
        return self.call_soon(callback, *args, context=node.context)

    def time(self) -> float:
        return self.now_ns / NS_PER_SECOND

    # ---------------------------------------------------------------------------- tasks and futures

    def create_future(self) -> asyncio.Future[Any]:
        self._sequence += 1
        return SimulatedFuture(self._sequence, self)

    def create_task(
        self,
        coro: Coroutine[Any, Any, T] | Generator[Any, None, T],
        *,
        name: object = None,
        context: Context | None = None,
    ) -> asyncio.Task[T]:
        self._check_open()
        self._sequence += 1
        context = context if context is not None else copy_context()
        label = f"task-{self._sequence}" if name is None else str(name)
        task = SimulatedTask(coro, self._sequence, owner_of(context, self.world), self, label, context)
        self._tasks[self._sequence] = task
        return task

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """asyncio tells here what it cannot tell anybody else (L5)."""
        error = context.get("exception")
        concerned = context.get("task", context.get("future"))
        owner = concerned.owner if isinstance(concerned, SimulatedTask) else running_node(self.world)
        if self._closed or not owner.alive or owner.power_cut or isinstance(error, PowerCut):
            return
        self._unhandled(f"{context.get('message')} in {owner.label}", error)

    def find(self, finding: Finding) -> None:
        """End the run after this step; for doors, whose caller might swallow an exception."""
        self._findings.append(finding)

    def _unhandled(self, where: str, error: BaseException | None) -> None:
        finding = Unhandled(f"{where}: {type(error).__name__}: {error}")
        finding.__cause__ = error
        self.find(finding)

    def _finish_generator(self, generator: Any) -> None:
        if not self._closed and running_node(self.world).alive:
            self.call_soon(self.create_task, generator.aclose())

    # --------------------------------------------------------------------------------------- state

    def is_running(self) -> bool:
        return self._running

    def is_closed(self) -> bool:
        return self._closed

    def get_debug(self) -> bool:
        return False

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Cancelled timers are left out when their time comes."""

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("the simulated loop is closed")


class SimulatedFuture(asyncio.Future[Any]):
    """A future that hashes by number (L4)."""

    def __init__(self, number: int, loop: SimulatedLoop) -> None:
        self.number = number
        super().__init__(loop=loop)

    def __hash__(self) -> int:
        return self.number


class SimulatedTask(asyncio.Task[Any]):
    """A task that hashes by number (L4) and knows its node."""

    def __init__(self, coro: Any, number: int, owner: Node, loop: SimulatedLoop, name: str, context: Context) -> None:
        self.number = number
        self.owner = owner
        super().__init__(coro, loop=loop, name=name, context=context)

    def __hash__(self) -> int:
        return self.number


class _Step(asyncio.TimerHandle):
    """One call to come."""

    __slots__ = ("_stopped", "args", "callback", "context", "owner", "task")

    def __init__(
        self,
        loop: SimulatedLoop,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        context: Context | None,
        deadline_ns: int = 0,
    ) -> None:
        self.callback = callback
        self.args = args
        self.context = context if context is not None else copy_context()
        self.owner = owner_of(self.context, loop.world)
        woken = getattr(callback, "__self__", None)
        self.task = woken if isinstance(woken, SimulatedTask) else None
        self._when = deadline_ns / NS_PER_SECOND
        self._stopped = False

    @property
    def label(self) -> str:
        if self.task is not None:
            return f"task {self.task.number}"
        return getattr(self.callback, "__qualname__", type(self.callback).__name__)

    def cancel(self) -> None:
        self._stopped = True
        self.callback = _nothing
        self.args = ()

    def cancelled(self) -> bool:
        return self._stopped

    def __repr__(self) -> str:
        return f"<{self.label}>"


class _Lane(deque[_Step]):
    """Plain callbacks of one node, in order (L2)."""


def _nothing() -> None:
    """What a cancelled call does."""


def _name(task: SimulatedTask) -> str:
    code = task.get_coro()
    return f"{task.get_name()} {getattr(code, '__qualname__', type(code).__name__)}"


_SHOWN = 30
