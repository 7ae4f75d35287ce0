"""The simulated disk: what a power cut takes and what it must leave, errors, and cuts inside a call."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Awaitable, Callable

import pytest

from moldau.environment.doors import Disk
from moldau.simulator.errors import Broken, PowerCut
from moldau.simulator.loop import NS_PER_SECOND
from moldau.simulator.world import World


def boot(world: World) -> Disk:
    return world.boot("m")[1].disk


def contents(disk: Disk, path: str) -> bytes:
    return disk.read_file(path)


def run(world: World, scene: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await scene()

    try:
        world.loop.run(main(), limit_ns=100 * NS_PER_SECOND, max_steps=10_000)
    finally:
        world.close()


def test_synced_bytes_stay_and_the_rest_keeps_a_prefix() -> None:
    lengths = []
    for seed in range(200):
        world = World(seed)
        disk = boot(world)
        file = disk.open("/f", create=True)
        disk.sync_directory("/")
        file.append([b"durable"])
        file.sync()
        unsynced = [bytes([65 + number]) * 10 for number in range(5)]
        for piece in unsynced:
            file.append([piece])
        world.cut_power("m")
        after = contents(boot(world), "/f")
        whole = b"durable" + b"".join(unsynced)
        kept = after.rstrip(b"\0")
        assert after[:7] == b"durable"
        assert whole.startswith(kept)
        assert len(after) <= len(whole)
        lengths.append(len(after) - 7)
    assert {0, 50} <= set(lengths)
    assert any(length % 10 for length in lengths)  # torn inside a write


def test_a_killed_process_loses_nothing_of_the_disk() -> None:
    world = World(1)
    disk = boot(world)
    disk.make_directory("/a/b")
    disk.open("/a/b/f", create=True).append([b"written, never synced"])
    world.kill("m")
    assert contents(boot(world), "/a/b/f") == b"written, never synced"


def names_after_cut(seed: int, act: Callable[[Disk], None]) -> list[str]:
    world = World(seed)
    disk = boot(world)
    disk.make_directory("/d")
    disk.sync_directory("/")
    act(disk)
    world.cut_power("m")
    return boot(world).list("/d")


def test_a_name_needs_its_directory_synced() -> None:
    def create(disk: Disk) -> None:
        file = disk.open("/d/f", create=True)
        file.append([b"x"])
        file.sync()

    def create_and_sync(disk: Disk) -> None:
        create(disk)
        disk.sync_directory("/d")

    assert {str(names_after_cut(seed, create)) for seed in range(50)} == {"[]", "['f']"}
    assert {str(names_after_cut(seed, create_and_sync)) for seed in range(50)} == {"['f']"}


def test_rename_is_all_or_nothing_and_removal_may_come_back() -> None:
    def rename(disk: Disk) -> None:
        disk.open("/d/old", create=True)
        disk.sync_directory("/d")
        disk.rename("/d/old", "/d/new")

    def remove(disk: Disk) -> None:
        disk.open("/d/old", create=True)
        disk.sync_directory("/d")
        disk.remove("/d/old")

    assert {str(names_after_cut(seed, rename)) for seed in range(50)} == {"['old']", "['new']"}
    assert {str(names_after_cut(seed, remove)) for seed in range(50)} == {"['old']", "[]"}


@pytest.mark.parametrize("cut_in", range(8))
def test_replace_file_is_old_or_new_wherever_the_power_goes(cut_in: int) -> None:
    for seed in range(20):
        world = World(seed)
        disk = boot(world)
        disk.replace_file("/f", b"old")
        world.machine("m").faults.cut_in = cut_in
        done = True
        try:
            disk.replace_file("/f", b"new and longer")
        except PowerCut:
            done = False
        world.cut_power("m")
        after = contents(boot(world), "/f")
        assert after == b"new and longer" if done else after in (b"old", b"new and longer")


def test_truncate_is_lost_or_kept_as_a_whole() -> None:
    seen = set()
    for seed in range(50):
        world = World(seed)
        disk = boot(world)
        disk.replace_file("/f", b"0123456789")
        disk.open("/f").truncate(4)
        world.cut_power("m")
        seen.add(contents(boot(world), "/f"))
    assert seen == {b"0123", b"0123456789"}


def test_the_power_goes_inside_a_call_and_the_node_never_runs_again() -> None:
    world = World(1)
    node, environment = world.boot("m")
    seen: list[str] = []

    async def life() -> None:
        file = environment.disk.open("/f", create=True)
        try:
            for _ in range(100):
                file.append([b"x" * 10])
                await asyncio.sleep(0.001)
        finally:
            with pytest.raises(PowerCut):
                file.append([b"after"])
        seen.append("unreachable")

    async def scene() -> None:
        world.machine("m").faults.cut_in = 20
        world.start(node, life())
        await asyncio.sleep(10)
        assert not node.alive
        assert seen == []
        assert len(dict(world.machine("m").image.files()).get("/f", _EMPTY).data) <= 200
        boot(world)

    run(world, scene)
    assert world.counters["power cut inside a disk call"] == 1


class _Empty:
    data = b""


_EMPTY = _Empty()


def test_no_space_left_takes_what_fits() -> None:
    world = World(1)
    disk = boot(world)
    world.machine("m").image.capacity_bytes = 100
    file = disk.open("/f", create=True)
    file.append([bytes(60)])
    with pytest.raises(OSError, match="No space") as full:
        file.append([bytes(60)])
    assert full.value.errno == errno.ENOSPC
    assert file.size() == 100
    assert (disk.free_bytes("/"), disk.total_bytes("/")) == (0, 100)
    with pytest.raises(OSError, match="Input/output"):  # a file that failed takes no more
        file.append([b"x"])


def test_a_failed_sync_drops_the_writes_and_asking_again_is_a_finding() -> None:
    world = World(1)
    node, environment = world.boot("m")

    async def life() -> None:
        file = environment.disk.open("/f", create=True)
        environment.disk.sync_directory("/")
        file.append([b"x"])
        world.machine("m").faults.fail_sync_in = 0
        with pytest.raises(OSError, match="Input/output"):
            await environment.offload.run(file.sync)
        with pytest.raises(OSError, match="Input/output"):
            await environment.offload.run(file.sync)

    async def scene() -> None:
        await world.start(node, life())

    with pytest.raises(Broken, match="synced again"):
        run(world, scene)


def test_slow_syncs_take_virtual_time_and_end_in_any_order() -> None:
    world = World(1)
    node, environment = world.boot("m")
    ended: list[int] = []

    def note(number: int) -> Callable[[None, BaseException | None], None]:
        return lambda _, __: ended.append(number)

    async def life() -> None:
        world.machine("m").faults.slow_sync_chance = 0.5
        for number in range(20):
            file = environment.disk.open(f"/{number}", create=True)
            environment.offload.submit(file.sync, note(number))
        assert ended == []
        await asyncio.sleep(5)

    async def scene() -> None:
        await world.start(node, life())

    run(world, scene)
    assert sorted(ended) == list(range(20)) != ended
    assert world.loop.now_ns > 5 * NS_PER_SECOND


def test_a_lock_is_free_when_its_holder_is_dead() -> None:
    world = World(1)
    disk = boot(world)
    assert disk.lock("/lock") is not None
    assert disk.lock("/lock") is None
    world.kill("m")
    release = boot(world).lock("/lock")
    assert release is not None
    release()


def test_trees_and_errors_behave_as_files_do() -> None:
    world = World(1)
    disk = boot(world)
    disk.make_directory("/a/b")
    disk.open("/a/b/f", create=True).release()
    assert disk.is_directory("/a/b")
    assert not disk.is_directory("/a/b/f")
    with pytest.raises(FileNotFoundError):
        disk.open("/a/none")
    with pytest.raises(IsADirectoryError):
        disk.open("/a/b")
    with pytest.raises(OSError, match="one directory"):
        disk.rename("/a/b/f", "/a/f")
    disk.rename("/a/b", "/a/c")
    assert disk.list("/a") == ["c"]
    disk.remove_tree("/a")
    assert not disk.exists("/a/c/f")
