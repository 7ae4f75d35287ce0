"""A log directory under power cuts: what a killed process had begun, its successor puts on disk before it answers."""

from __future__ import annotations

import pytest
from tests.storage.stored import append

from moldau.model import TopicPartition
from moldau.simulator.world import World
from moldau.storage import Identity, LogDirectory, LogSettings

ORDERS = TopicPartition("orders", 0)
ID = bytes(range(16))


def opened(world: World, path: str) -> LogDirectory:
    return LogDirectory.open(world.boot("m")[1].disk, path, Identity(1), new_id=lambda: ID)


@pytest.mark.parametrize("path", ["/data", "/deep/in/a/tree"])
def test_a_log_that_a_killed_process_began_is_there_after_a_power_cut(path: str) -> None:
    for seed in range(40):
        world = World(seed)
        try:
            first = opened(world, path)
            first.open_log(ORDERS, LogSettings())
            world.kill("m")  # nothing of the new log was synced, and the file system has it all in memory
            second = opened(world, path)
            log = second.open_log(ORDERS, LogSettings())
            append(log, b"answered")
            log.flush()
            world.cut_power("m")
            assert opened(world, path).open_log(ORDERS, LogSettings()).end_offset == 1, f"seed {seed}"
        finally:
            world.close()
