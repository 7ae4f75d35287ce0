"""What is measured: each row is one load on one broker, with its figures."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from confluent_kafka import KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec  # type: ignore[attr-defined]

from tools.bench.brokers import ROOT, Broker, cpu_seconds

LOAD = ROOT / "rust" / "target" / "release" / "moldau-load"
GB = 1e9
SERVES_A_TOPIC_AFTER_TRIES = 200
FILES_GO_WITHIN_S = 30
BURST_S = 0.4
WARM_PAGES_MB = 1_200
QUIET: dict[str, str | int] = {"log_level": 2}
"""A client whose broker is stopped, as each is in the end, says so in a hundred lines."""


@dataclass(frozen=True)
class Load:
    """One row: a kind of request, its shape, and what of the result is its figure."""

    title: str
    kind: str
    arguments: dict[str, int]
    partitions: int = 1
    unit: str = "requests/s"
    preload: bool = False
    durable: bool = True
    """Whether the row is also one of the durable run."""


ROWS = (
    Load("ApiVersions, 16 connections x 1", "api-versions", {"connections": 16}, durable=False),
    Load("produce 1 x 100 B, 1 connection, one at a time", "produce", {"bytes": 100}),
    Load(
        "produce 1 x 100 B, 16 x 5 in flight, 16 partitions",
        "produce",
        {"bytes": 100, "connections": 16, "pipeline": 5},
        partitions=16,
    ),
    Load(
        "produce 100 x 100 B, 16 x 5, 16 partitions",
        "produce",
        {"records": 100, "bytes": 100, "connections": 16, "pipeline": 5},
        partitions=16,
        unit="MB/s",
    ),
    Load(
        "produce 16 x 1 KB, 4 x 5, 4 partitions",
        "produce",
        {"records": 16, "bytes": 1000, "connections": 4, "pipeline": 5},
        partitions=4,
        unit="MB/s",
    ),
    Load(
        "produce 900 x 1 KB, 2 x 2, 2 partitions",
        "produce",
        {"records": 900, "bytes": 1000, "connections": 2, "pipeline": 2},
        partitions=2,
        unit="MB/s",
    ),
    Load("fetch 1 MB, 1 connection", "fetch", {"step": 900}, unit="MB/s", preload=True, durable=False),
    Load(
        "fetch 1 MB, 8 connections",
        "fetch",
        {"step": 900, "connections": 8},
        unit="MB/s",
        preload=True,
        durable=False,
    ),
    Load(
        "Metadata v12 of 100 partitions, 4 x 4",
        "metadata",
        {"connections": 4, "pipeline": 4},
        partitions=100,
        durable=False,
    ),
    Load("long poll, 1 consumer", "long-poll", {"connections": 1}, unit="p50 us", durable=False),
    Load("long poll, 50 consumers", "long-poll", {"connections": 50}, unit="p50 us", durable=False),
)


@dataclass
class Figures:
    """What one run of one row gave."""

    speed: float
    """In the row's unit."""
    cpu: float
    """Broker CPU: microseconds for a request, or seconds for a GB where the unit is MB/s."""
    p50_us: float
    p99_us: float
    extra: dict[str, float] = field(default_factory=dict)


def measure(load: Load, broker: Broker, seconds: float, warmup: float) -> Figures:
    """Run the load on a topic of its own, which is deleted afterwards."""
    topic = f"load-{time.time_ns()}"
    admin = _admin(broker.address)
    _wait(admin.create_topics([NewTopic(topic, load.partitions, 1)]), topic)
    try:
        end = _prepare(load, broker, topic)
        arguments = {**load.arguments, "partitions": load.partitions, "offsets": max(end, 1)}
        if load.kind == "produce" and load.unit == "MB/s":
            return _figures(load, *_in_bursts(load, broker, topic, seconds, arguments))
        warm = 0.0 if load.kind == "long-poll" else warmup
        before = cpu_seconds(broker.pid)
        said = _load(load.kind, broker, topic, seconds=seconds, warmup=warm, arguments=arguments)
        # The generator counts after its warm-up, the CPU is of the whole run: scale it to the measured part.
        cpu = (cpu_seconds(broker.pid) - before) * said["seconds"] / (said["seconds"] + warm)
        return _figures(load, said, cpu)
    finally:
        _wait(admin.delete_topics([topic]), topic)
        _gone(broker, topic)


def _in_bursts(
    load: Load, broker: Broker, topic: str, seconds: float, arguments: dict[str, int]
) -> tuple[dict[str, float], float]:
    """What fills memory is measured in short bursts, with warm pages for each; the sum of all, and the CPU."""
    bursts = max(1, round(seconds / BURST_S))
    total = {"seconds": 0.0, "payload_bytes": 0.0, "requests": 0.0}
    latencies = []
    cpu = 0.0
    for _ in range(bursts):
        _warm_pages()
        before = cpu_seconds(broker.pid)
        said = _load("produce", broker, topic, seconds=seconds / bursts, warmup=0, arguments=arguments)
        cpu += cpu_seconds(broker.pid) - before
        latencies.append((said["p50_us"], said["p99_us"]))
        for name in total:
            total[name] += said[name]
    p50_us, p99_us = (statistics.median(column) for column in zip(*latencies, strict=True))
    return {**total, "p50_us": p50_us, "p99_us": p99_us}, cpu


def _warm_pages() -> None:
    """Have the kernel's free pages touched a moment ago. A hypervisor takes free pages back within a second, and
    whoever uses one next pays for it more than for the write itself: that should be neither broker."""
    with tempfile.TemporaryFile() as file:
        block = bytes(1 << 20)
        for _ in range(WARM_PAGES_MB):
            file.write(block)


def _gone(broker: Broker, topic: str) -> None:
    """Wait until its files are removed, so that their pages are free again for whoever is measured next."""
    deadline = time.monotonic() + FILES_GO_WITHIN_S
    while any(broker.data.glob(f"{topic}-*")):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{broker.name} keeps the files of {topic}")
        time.sleep(0.05)
    os.sync()


def _figures(load: Load, said: dict[str, float], cpu: float) -> Figures:
    if load.unit == "MB/s":
        return Figures(
            said["payload_bytes"] / said["seconds"] / 1e6,
            cpu / (said["payload_bytes"] / GB),
            said["p50_us"],
            said["p99_us"],
        )
    speed = said["p50_us"] if load.unit == "p50 us" else said["requests"] / said["seconds"]
    return Figures(speed, cpu / said["requests"] * 1e6, said["p50_us"], said["p99_us"])


def _prepare(load: Load, broker: Broker, topic: str) -> int:
    """Fill the topic where the row reads it; the end offset of partition 0."""
    _end_offsets(broker, topic, load.partitions)  # every partition has its leader
    if load.preload:
        _load("produce", broker, topic, seconds=1.0, warmup=0.0, arguments={"records": 900, "bytes": 1000})
    elif load.kind == "long-poll":
        first_acknowledged(broker, topic)
    end = _end_offsets(broker, topic, load.partitions)[0]
    return end // 900 * 900 if load.preload else end


def _end_offsets(broker: Broker, topic: str, partitions: int) -> list[int]:
    admin = _admin(broker.address)
    asked = {TopicPartition(topic, index): OffsetSpec.latest() for index in range(partitions)}
    for attempt in range(SERVES_A_TOPIC_AFTER_TRIES):
        try:
            return [answer.result().offset for answer in admin.list_offsets(asked).values()]
        except KafkaException:
            if attempt == SERVES_A_TOPIC_AFTER_TRIES - 1:
                raise
            time.sleep(0.05)
    raise AssertionError("unreachable")


def _admin(address: str) -> AdminClient:
    return AdminClient({"bootstrap.servers": address, **QUIET})


def first_acknowledged(broker: Broker, topic: str) -> None:
    """Produce one record and wait until it is acknowledged."""
    failures: list[object] = []
    producer = Producer({"bootstrap.servers": broker.address, "acks": "all", **QUIET})
    producer.produce(topic, b"x", callback=lambda error, _message: failures.append(error) if error else None)
    if producer.flush(30) or failures:
        raise RuntimeError(f"{broker.name} did not acknowledge: {failures}")


def _load(
    kind: str, broker: Broker, topic: str, *, seconds: float, warmup: float, arguments: dict[str, int]
) -> dict[str, float]:
    command = [str(LOAD), kind, "--address", broker.address, "--topic", topic]
    command += ["--seconds", str(seconds), "--warmup", str(warmup)]
    for name, value in arguments.items():
        command += [f"--{name}", str(value)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + warmup + 60, check=False)
    if done.returncode:
        raise RuntimeError(f"{broker.name}, {kind}: {done.stderr.strip()}")
    said: dict[str, float] = json.loads(done.stdout)
    return said


def _wait(futures: Mapping[str, Future[Any]], topic: str) -> None:
    futures[topic].result()


def build_load_generator() -> None:
    """Build it with cargo when it is missing or old."""
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "moldau-load"], cwd=Path(ROOT / "rust"), check=True)
