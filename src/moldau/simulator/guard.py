"""While a run is on, the machine's own clock, chance, files and threads are out of bounds for the code that is run.

The runner holds it around each run. A call from a module of the project ends the run with an `Escape`; calls from
other modules (the interpreter's own, logging, test tools) pass.
"""

from __future__ import annotations

import builtins
import os
import random
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from moldau.simulator.errors import Escape

_WATCHED: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (time, ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "sleep")),
    (random, ("random", "randrange", "randint", "choice", "shuffle", "uniform", "getrandbits", "randbytes")),
    (os, ("urandom", "open", "fsync", "replace", "rename", "remove", "mkdir", "makedirs", "listdir", "getpid")),
    (uuid, ("uuid1", "uuid4")),
    (builtins, ("open",)),
    (threading.Thread, ("start",)),
)


@contextmanager
def bounds(find: Callable[[Escape], None]) -> Iterator[None]:
    """Watch the machine's own functions; `find` is told of a call, which is raised as well."""
    before = [(owner, name, getattr(owner, name)) for owner, names in _WATCHED for name in names]
    for owner, name, function in before:
        setattr(owner, name, _watch(function, f"{getattr(owner, '__name__', owner)}.{name}", find))
    try:
        yield
    finally:
        for owner, name, function in before:
            setattr(owner, name, function)


def _watch(function: Callable[..., Any], label: str, find: Callable[[Escape], None]) -> Callable[..., Any]:
    def watched(*arguments: Any, **named: Any) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.startswith("moldau.") and not caller.startswith("moldau.simulator."):
            escape = Escape(f"{caller} called {label}: go through the doors of the environment")
            find(escape)
            raise escape
        return function(*arguments, **named)

    return watched
