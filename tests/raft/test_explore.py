"""Three voters in a hostile world, drawn from a seed: nothing may break R1-R7, and peace must bring a leader."""

from __future__ import annotations

import random

import pytest

from moldau.raft import Role
from tests.raft.voters import Node, Room

STEPS = 800


def act(room: Room, chance: random.Random) -> None:
    node = room.nodes[chance.randint(1, len(room.nodes))]
    kind = chance.random()
    if node.raft is None:
        if kind < 0.2:
            start(room, node)
    elif kind < 0.5:
        for _ in range(chance.randint(1, 8)):
            carry(room, chance)
    elif kind < 0.6:
        room.wait(chance.choice((1, 10, 100, 500, 1500)))
    elif kind < 0.75:
        leader = chance.choice([one for one in room.nodes.values() if one.raft] or [node])
        if leader.raft is not None and leader.raft.role is Role.LEADER:
            leader.raft.propose([b"%d" % chance.randrange(1000) for _ in range(chance.randint(1, 3))])
            room.settle(leader)
    elif kind < 0.95:
        room.sync(node)
    elif kind < 0.98:
        room.cut = draw_cut(chance)
    else:
        node.crash()


def carry(room: Room, chance: random.Random) -> None:
    """Deliver a letter, perhaps out of order, perhaps twice, perhaps not at all."""
    if not room.mail:
        return
    index = chance.randrange(min(len(room.mail), 6))
    if chance.random() < 0.05:
        room.mail.append(room.mail[index])
    if chance.random() < 0.05:
        room.mail.pop(index)
    else:
        room.deliver(index)


def draw_cut(chance: random.Random) -> list[tuple[int, int]]:
    """Nothing, one direction, or one voter alone with itself."""
    alone, other = chance.sample((1, 2, 3), 2)
    both = [pair for voter in (1, 2, 3) for pair in ((alone, voter), (voter, alone))]
    return chance.choice(([], [(alone, other)], both))


def start(room: Room, node: Node) -> None:
    room.high_watermarks[node.config.node_id] = 0
    node.start(room.now_ms)
    room.settle(node)


def heal(room: Room) -> None:
    room.cut = []
    for node in room.nodes.values():
        if node.raft is None:
            start(room, node)
    for _ in range(400):
        while room.mail:
            room.deliver()
        for node in room.nodes.values():
            room.sync(node)
        room.wait(50)


@pytest.mark.parametrize("seed", range(60))
def test_explore(seed: int) -> None:
    chance = random.Random(seed)
    room = Room(3, seed, sync_at_once=False, max_fetch_bytes=6)
    for step in range(STEPS):
        act(room, chance)
        if step % 10 == 0:
            room.check_matching()
    heal(room)
    leader = room.leader()
    assert leader is not None
    assert leader.raft is not None
    leader.raft.propose([b"the end"])
    room.settle(leader)
    heal(room)
    logs = [node.disk.batches for node in room.nodes.values()]
    assert logs[0] == logs[1] == logs[2] == room.committed
    assert room.committed[-1].values == (b"the end",)
    room.check_matching()


def test_a_seed_repeats_itself() -> None:
    def history(seed: int) -> list[object]:
        chance = random.Random(seed)
        room = Room(3, seed, sync_at_once=False, max_fetch_bytes=6)
        for _ in range(200):
            act(room, chance)
        return [room.mail, room.committed, room.leaders, room.now_ms]

    assert history(3) == history(3)


def test_the_world_is_hostile_enough() -> None:
    truncations = elections = commits = 0
    for seed in range(20):
        chance = random.Random(seed)
        room = Room(3, seed, sync_at_once=False, max_fetch_bytes=6)
        for _ in range(STEPS):
            act(room, chance)
        truncations += room.truncations
        elections += len(room.leaders)
        commits += len(room.committed)
    assert truncations > 5
    assert elections > 40
    assert commits > 100
