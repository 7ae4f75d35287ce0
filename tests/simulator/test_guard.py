"""Reaching for the machine's own clock, chance or files ends a run; others may."""

from __future__ import annotations

import time

import pytest

from moldau.simulator.errors import Escape
from moldau.simulator.guard import bounds


def call_from(module: str, text: str) -> object:
    names: dict[str, object] = {"__name__": module}
    exec(f"import os, random, time, uuid\ndef reach():\n    return {text}", names)
    return names["reach"]()  # type: ignore[operator]


@pytest.mark.parametrize(
    "text", ["time.time()", "time.monotonic_ns()", "random.random()", "os.urandom(1)", "open('/')"]
)
def test_a_room_that_reaches_past_its_doors_is_found(text: str) -> None:
    found: list[Escape] = []
    with bounds(found.append), pytest.raises(Escape, match=r"moldau\.broker called"):
        call_from("moldau.broker", text)
    assert len(found) == 1


def test_others_may_and_everything_is_put_back() -> None:
    before = time.time
    with bounds(lambda _: None):
        assert call_from("logging", "time.time()")
        assert call_from("moldau.simulator.command", "time.time()")
    assert time.time is before
