"""The stories in `scenarios/`, told command by command. After `----` stands what must be seen, up to an empty line.

    voters N                a new room; everything appended is synced at once (`lazy`: by `sync`)
    timeout N               time passes until the next timer of voter N, and only N notices
    wait MS                 time passes, everybody notices
    propose N VALUE...      voter N appends a batch
    resign N                voter N ends its office
    sync N                  voter N's disk is synced
    deliver [A>B...]        deliver all that is under way (between these), and what it leads to
    one A>B                 deliver the next message between these, and nothing else
    drop [A>B...]           lose what is under way
    cut A>B... / heal       lose everything from now on / no more
    crash N / start N       the unsynced end of the log is gone
    state                   everybody as they stand

MOLDAU_REWRITE=1 writes down what is seen instead of comparing it: read the difference before you keep it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from moldau.model import ErrorCode
from moldau.raft import (
    BeginQuorumEpochRequest,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchResponse,
    Message,
    QuorumEpochResponse,
    VoteRequest,
    VoteResponse,
)
from tests.raft.voters import Node, Room

SCENARIOS = sorted((Path(__file__).parent / "scenarios").glob("*.txt"))


def text(message: Message) -> str:
    head = f"{message.source}>{message.target}"
    match message:
        case VoteRequest():
            kind = "PreVote?" if message.pre_vote else "Vote?"
            return f"{head} {kind} epoch {message.epoch} log {message.end_offset}@{message.last_epoch}"
        case VoteResponse():
            kind = "PreVote" if message.pre_vote else "Vote"
            return f"{head} {kind} {'yes' if message.granted else 'no'}, epoch {message.epoch} leader {message.leader}"
        case BeginQuorumEpochRequest():
            return f"{head} BeginQuorumEpoch {message.epoch}"
        case EndQuorumEpochRequest():
            return f"{head} EndQuorumEpoch {message.epoch} successors {list(message.successors)}"
        case QuorumEpochResponse():
            return f"{head} Noted, epoch {message.epoch} leader {message.leader}"
        case FetchRequest():
            return f"{head} Fetch epoch {message.epoch} from {message.offset}@{message.last_epoch}"
        case FetchResponse():
            return f"{head} Fetched{fetched(message)}"


def fetched(message: FetchResponse) -> str:
    if message.error is not ErrorCode.NONE:
        return f" {message.error.name}, epoch {message.epoch} leader {message.leader}"
    if message.diverging is not None:
        return f" diverging at {message.diverging.offset}@{message.diverging.epoch}"
    return f" {content(message.batches)} hw {message.high_watermark}"


def content(batches: object) -> str:
    assert isinstance(batches, (list, tuple))
    shown = [
        f"{one.base_offset}@{one.epoch}:{'LEADS' if one.control else b','.join(one.values).decode()}" for one in batches
    ]
    return f"[{' '.join(shown)}]"


def state(node: Node) -> str:
    raft = node.raft
    if raft is None:
        return f"{node.config.node_id} down {content(node.disk.batches)}"
    return (
        f"{node.config.node_id} {raft.role.value} epoch {raft.epoch} leader {raft.leader} voted {raft.voted_for} "
        f"hw {raft.high_watermark} {content(node.disk.batches)}"
    )


class Story:
    """Tells one scenario."""

    def __init__(self) -> None:
        self.room = Room(1)

    def tell(self, line: str) -> list[str]:
        command, *rest = line.split()
        method = getattr(self, f"do_{command}")
        shown = method(*rest)
        assert isinstance(shown, list)
        return shown

    def do_voters(self, size: str, lazy: str = "") -> list[str]:
        self.room = Room(int(size), sync_at_once=not lazy)
        return []

    def do_timeout(self, number: str) -> list[str]:
        node = self.node(number)
        assert node.raft is not None
        assert node.raft.deadline_ms is not None
        self.room.now_ms = max(self.room.now_ms, node.raft.deadline_ms)
        node.raft.tick(self.room.now_ms)
        self.room.settle(node)
        return [state(node)]

    def do_wait(self, duration_ms: str) -> list[str]:
        self.room.wait(int(duration_ms))
        return []

    def do_propose(self, number: str, *values: str) -> list[str]:
        node = self.node(number)
        assert node.raft is not None
        end_offset = node.raft.propose([value.encode() for value in values])
        self.room.settle(node)
        return [f"committed at {end_offset}, now at {node.raft.high_watermark}"]

    def do_resign(self, number: str) -> list[str]:
        node = self.node(number)
        assert node.raft is not None
        node.raft.resign(self.room.now_ms)
        self.room.settle(node)
        return [state(node)]

    def do_sync(self, number: str) -> list[str]:
        self.room.sync(self.node(number))
        return [state(self.node(number))]

    def do_deliver(self, *ways: str) -> list[str]:
        shown = []
        while (index := self.next_letter(ways)) is not None:
            told = text(self.room.mail[index].message)
            shown.append(told if self.room.deliver(index) else f"{told} LOST")
        return shown

    def do_one(self, way: str) -> list[str]:
        index = self.next_letter((way,))
        assert index is not None
        told = text(self.room.mail[index].message)
        return [told if self.room.deliver(index) else f"{told} LOST"]

    def do_drop(self, *ways: str) -> list[str]:
        while (index := self.next_letter(ways)) is not None:
            self.room.mail.pop(index)
        return []

    def do_cut(self, *ways: str) -> list[str]:
        self.room.cut = [(int(way[0]), int(way[2])) for way in ways]
        return []

    def do_heal(self) -> list[str]:
        return self.do_cut()

    def do_crash(self, number: str) -> list[str]:
        self.node(number).crash()
        return []

    def do_start(self, number: str) -> list[str]:
        self.room.high_watermarks[int(number)] = 0
        self.node(number).start(self.room.now_ms)
        self.room.settle(self.node(number))
        return []

    def do_state(self) -> list[str]:
        self.room.check_matching()
        return [state(node) for node in self.room.nodes.values()]

    def node(self, number: str) -> Node:
        return self.room.nodes[int(number)]

    def next_letter(self, ways: tuple[str, ...]) -> int | None:
        for index, letter in enumerate(self.room.mail):
            if not ways or f"{letter.message.source}>{letter.message.target}" in ways:
                return index
        return None


@pytest.mark.parametrize("path", SCENARIOS, ids=[path.stem for path in SCENARIOS])
def test_scenario(path: Path) -> None:
    story = Story()
    told: list[str] = []
    expecting = False
    for line in path.read_text().splitlines():
        if line == "----" or (expecting and line):
            expecting = True
            continue
        expecting = False
        told.append(line)
        if line and not line.startswith("#"):
            shown = story.tell(line)
            told += ["----", *shown] if shown else []
    seen = "\n".join(told) + "\n"
    if os.environ.get("MOLDAU_REWRITE"):
        path.write_text(seen)
    assert seen == path.read_text()


def test_there_are_scenarios() -> None:
    assert len(SCENARIOS) >= 8
