"""Start-up to the first acknowledged record, memory and CPU of an idle broker."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from tools.bench.brokers import Kafka, Moldau, cpu_seconds, resident_mb, wait_until_serving
from tools.bench.rows import first_acknowledged

IDLE_S = 5.0

Row = tuple[str, float, float]
"""Title with unit, Moldau's figure, Kafka's: less is better."""


def measure(durable: bool, rounds: int) -> list[Row]:
    """Medians over a few starts of each, alternating."""
    seen: dict[str, list[tuple[float, float, float]]] = {"moldau": [], "kafka": []}
    for _ in range(rounds):
        for kind in (Moldau, Kafka):
            seen[kind.name].append(_one(kind, durable))
    medians = {name: [statistics.median(column) for column in zip(*runs, strict=True)] for name, runs in seen.items()}
    titles = ("start to first acknowledged record, s", "idle memory, MB", "idle CPU, % of a core")
    return [(title, medians["moldau"][at], medians["kafka"][at]) for at, title in enumerate(titles)]


def _one(kind: type[Moldau] | type[Kafka], durable: bool) -> tuple[float, float, float]:
    with tempfile.TemporaryDirectory(prefix="moldau-bench-") as scratch:
        broker = kind(Path(scratch), durable)
        if isinstance(broker, Kafka):
            broker.format()
        started = time.monotonic()
        broker.boot() if isinstance(broker, Kafka) else broker.start()
        try:
            wait_until_serving(broker)
            first_acknowledged(broker, "first")
            took = time.monotonic() - started
            time.sleep(1)
            before = cpu_seconds(broker.pid)
            time.sleep(IDLE_S)
            idle = (cpu_seconds(broker.pid) - before) / IDLE_S * 100
            return took, resident_mb(broker.pid), idle
        finally:
            broker.stop()
