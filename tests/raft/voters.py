"""A few voters in one room: each has a disk that forgets what was not synced, and between them lies a network that
delivers only what the test picks. Checks R1-R7 after every step. Used by the scenarios and by the explorer."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from moldau.raft import Batch, EpochEnd, Message, QuorumState, Raft, RaftConfig, Role, VoteRequest, VoteResponse


@dataclass
class Disk:
    """A log and a quorum state; `synced` says how much of the log survives."""

    batches: list[Batch] = field(default_factory=list)
    synced: int = 0
    state: QuorumState = field(default_factory=QuorumState)

    @property
    def end_offset(self) -> int:
        return self.batches[-1].end_offset if self.batches else 0

    @property
    def last_epoch(self) -> int:
        return self.batches[-1].epoch if self.batches else 0

    def end_of_epoch(self, epoch: int) -> EpochEnd:
        for batch in reversed(self.batches):
            if batch.epoch <= epoch:
                return EpochEnd(batch.epoch, batch.end_offset)
        return EpochEnd(0, 0)

    def read(self, offset: int, max_bytes: int) -> Sequence[Batch]:
        found: list[Batch] = []
        for batch in self.batches:
            if batch.base_offset >= offset:
                if found and sum(one.value_bytes for one in found) + batch.value_bytes > max_bytes:
                    break
                found.append(batch)
        assert not found or found[0].base_offset == offset
        return found

    def truncate(self, offset: int) -> None:
        while self.batches and self.batches[-1].end_offset > offset:
            assert self.batches[-1].base_offset >= offset, "a cut inside a batch"
            self.batches.pop()
        self.synced = min(self.synced, offset)


class Node:
    """One voter with its disk; `raft` is None while it is down."""

    def __init__(self, number: int, voters: tuple[int, ...], seed: int, max_fetch_bytes: int) -> None:
        self.config = RaftConfig(number, voters, max_fetch_bytes=max_fetch_bytes)
        self.disk = Disk()
        self.chance = random.Random(f"{seed}:{number}")
        self.raft: Raft | None = None
        self.restarts = 0

    def start(self, now_ms: int) -> None:
        self.raft = Raft(self.config, self.disk.state, self.disk, self.chance, now_ms)
        self.restarts += 1

    def crash(self) -> None:
        self.raft = None
        self.disk.truncate(
            max((b.end_offset for b in self.disk.batches if b.end_offset <= self.disk.synced), default=0)
        )


@dataclass
class Letter:
    """A message under way, and the life of the sender in which it was sent."""

    message: Message
    restarts: tuple[int, int]


class Room:
    """All of them, one clock, and what has ever been true."""

    def __init__(self, size: int, seed: int = 0, sync_at_once: bool = True, max_fetch_bytes: int = 1 << 20) -> None:
        self.now_ms = 0
        self.sync_at_once = sync_at_once
        voters = tuple(range(1, size + 1))
        self.nodes = {number: Node(number, voters, seed, max_fetch_bytes) for number in voters}
        self.mail: list[Letter] = []
        self.cut: list[tuple[int, int]] = []
        self.leaders: dict[int, int] = {}
        self.committed: list[Batch] = []
        self.high_watermarks: dict[int, int] = {}
        self.truncations = 0
        for node in self.nodes.values():
            node.start(self.now_ms)
            self.settle(node)

    # ------------------------------------------------------------------------------------------ the driver

    def settle(self, node: Node) -> None:
        raft = node.raft
        assert raft is not None
        while (ready := raft.ready()) is not None:
            if ready.save is not None:
                old = node.disk.state
                assert ready.save.epoch >= old.epoch  # R2
                if ready.save.epoch == old.epoch and old.voted_for is not None:
                    assert ready.save.voted_for == old.voted_for  # R2
                node.disk.state = ready.save
            if ready.truncate_to is not None:
                assert ready.truncate_to >= self.high_watermarks.get(node.config.node_id, 0)  # R7
                node.disk.truncate(ready.truncate_to)
                self.truncations += 1
            node.disk.batches.extend(ready.append)
            for message in ready.send:
                self.check_saved(node, message)
                target = self.nodes[message.target]
                self.mail.append(Letter(message, (node.restarts, target.restarts)))
            if ready.commit is not None:
                self.check_commit(node, ready.commit)
            raft.advance()
            if self.sync_at_once:
                self.sync(node, settle=False)
        self.check(node)

    def sync(self, node: Node, settle: bool = True) -> None:
        assert node.raft is not None
        if node.disk.synced < node.disk.end_offset:
            node.disk.synced = node.disk.end_offset
            node.raft.synced(node.disk.synced, self.now_ms)
        if settle:
            self.settle(node)

    # ------------------------------------------------------------------------------------------- the world

    def deliver(self, index: int = 0) -> bool:
        """Deliver one letter; False when it is lost: cut off, or meant for an earlier life."""
        letter = self.mail.pop(index)
        message = letter.message
        source, target = self.nodes[message.source], self.nodes[message.target]
        lives = (source.restarts, target.restarts)
        if (message.source, message.target) in self.cut or target.raft is None or letter.restarts != lives:
            return False
        target.raft.step(message, self.now_ms)
        self.settle(target)
        return True

    def wait(self, duration_ms: int) -> None:
        """Let time pass; every timer that is due goes off."""
        self.now_ms += duration_ms
        for node in self.nodes.values():
            raft = node.raft
            if raft is not None and raft.deadline_ms is not None and raft.deadline_ms <= self.now_ms:
                raft.tick(self.now_ms)
                self.settle(node)

    def leader(self) -> Node | None:
        leading = [node for node in self.nodes.values() if node.raft is not None and node.raft.role is Role.LEADER]
        return max(leading, key=lambda node: node.raft.epoch if node.raft else 0, default=None)

    # ------------------------------------------------------------------------------------------ invariants

    def check_saved(self, node: Node, message: Message) -> None:
        """R2: a vote, given or asked for, is on disk before anybody hears of it."""
        state = node.disk.state
        if isinstance(message, VoteRequest) and not message.pre_vote:
            assert (state.epoch, state.voted_for) == (message.epoch, message.source)
        if isinstance(message, VoteResponse) and message.granted and not message.pre_vote:
            assert (state.epoch, state.voted_for) == (message.epoch, message.target)

    def check_commit(self, node: Node, high_watermark: int) -> None:
        assert high_watermark >= self.high_watermarks.get(node.config.node_id, 0)  # R6
        self.high_watermarks[node.config.node_id] = high_watermark
        seen = [batch for batch in node.disk.batches if batch.end_offset <= high_watermark]
        assert seen[-1].end_offset == high_watermark
        for mine, theirs in zip(seen, self.committed, strict=False):
            assert mine == theirs  # R3, R4
        if len(seen) > len(self.committed):
            durable = [one for one in self.nodes.values() if self.holds(one, seen[-1])]
            assert len(durable) >= node.config.majority  # R5
            self.committed = seen

    def holds(self, node: Node, batch: Batch) -> bool:
        return batch.end_offset <= node.disk.synced and batch in node.disk.batches

    def check(self, node: Node) -> None:
        raft = node.raft
        assert raft is not None
        if raft.role is Role.LEADER:
            assert self.leaders.setdefault(raft.epoch, node.config.node_id) == node.config.node_id  # R1
            if raft.epoch == max(self.leaders):
                assert node.disk.batches[: len(self.committed)] == self.committed  # R4

    def check_matching(self) -> None:
        """R3 in full: equal up to the last batch that two logs share."""
        logs = [node.disk.batches for node in self.nodes.values()]
        for first in logs:
            for second in logs:
                shared = min(len(first), len(second))
                while shared and first[shared - 1][:2] != second[shared - 1][:2]:
                    shared -= 1
                assert first[:shared] == second[:shared]
