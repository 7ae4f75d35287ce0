"""The control plane of one node on the log that it will really have: raft, batches, log, committer, controller."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from typing import Any

from moldau.controller import (
    Answer,
    Outcome,
    QuorumController,
    bootstrap_records,
    create_topics,
    register_broker,
    unfence_broker,
)
from moldau.environment.memory.disk import MemoryDisk
from moldau.metadata import Image
from moldau.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest, CreateTopicsResponse
from moldau.raft import Batch, EpochEnd, QuorumState, Raft, RaftConfig
from moldau.raft.batches import decode_batches, encode_batch
from moldau.raft.quorum_state import decode_state, encode_state
from moldau.records import read_headers
from moldau.storage import Committer, Log, LogSettings
from tests.controller.cluster import CLUSTER, DEFAULTS, KnownConfigs, ids, registration
from tests.replication.bench import ManualOffload

DIRECTORY = "/data/__cluster_metadata-0"
STATE = f"{DIRECTORY}/quorum-state"


class MetadataLog:
    """A log as raft sees it."""

    def __init__(self, log: Log) -> None:
        self.log = log

    @property
    def end_offset(self) -> int:
        return self.log.end_offset

    @property
    def last_epoch(self) -> int:
        return max(self.log.epochs.latest, 0)

    def end_of_epoch(self, epoch: int) -> EpochEnd:
        return EpochEnd(*(self.log.epochs.end_of(epoch, self.log.end_offset) or (0, 0)))

    def read(self, offset: int, max_bytes: int) -> Sequence[Batch]:
        batches = []
        for part in self.log.read(offset, self.log.end_offset, max_bytes):
            batches += decode_batches(part.read())
            part.release()
        return batches


class Node:
    """One node that can be dropped at any moment; only its disk stays."""

    def __init__(self, disk: MemoryDisk) -> None:
        self.disk = disk
        self.offload = ManualOffload()
        self.committer = Committer(self.offload)
        self.log = Log.open(disk, DIRECTORY, LogSettings())
        self.view = MetadataLog(self.log)
        persisted = decode_state(disk.read_file(STATE)) if disk.exists(STATE) else QuorumState()
        self.raft = Raft(RaftConfig(1, (1,)), persisted, self.view, random.Random(1), 0)
        self.controller = QuorumController(self.raft, CLUSTER, bootstrap_records({}))
        self.answers: list[Answer] = []
        self.turn()

    def turn(self) -> None:
        while (ready := self.raft.ready()) is not None:
            if ready.save is not None:
                self.disk.replace_file(STATE, encode_state(ready.save))
            for batch in ready.append:
                data = encode_batch(batch, 1_700_000_000_000)
                self.log.append(data, read_headers(data))
            if ready.append:
                offset = self.log.end_offset
                self.committer.request(self.log, offset, partial(self.synced, offset))
            while ready.commit is not None and self.controller.image.offset + 1 < ready.commit:
                self.controller.committed(self.view.read(self.controller.image.offset + 1, 1))
            self.raft.advance()
            self.answers += self.controller.settle()
        self.answers += self.controller.settle()

    def synced(self, offset: int, error: OSError | None) -> None:
        assert error is None
        self.raft.synced(offset, 0)
        self.turn()

    def ask(self, decide: Any) -> Any:
        self.controller.request(decide, None)
        self.turn()
        self.work()
        (answer,) = self.answers
        self.answers = []
        assert answer.error is None
        return answer.response

    def work(self) -> None:
        while self.offload.jobs:
            self.offload.work()


def create(name: str) -> Any:
    def decide(image: Image, next_offset: int) -> Outcome[CreateTopicsResponse]:
        topics = [CreatableTopic(name=name, num_partitions=3, replication_factor=1)]
        request = CreateTopicsRequest(topics=topics)
        return create_topics(request, image, new_id=ids(), configs=KnownConfigs(), defaults=DEFAULTS)

    return decide


def test_a_node_lives_twice() -> None:
    disk = MemoryDisk()
    node = Node(disk)
    assert not node.controller.in_office
    node.work()
    epoch = node.ask(lambda image, offset: register_broker(registration(1), image, offset))
    node.ask(lambda image, _: unfence_broker(image, 1, epoch))
    assert node.ask(create("orders")).topics[0].error_code == 0
    before = node.controller.image
    node.controller.request(create("lost"), None)
    node.turn()
    assert node.log.end_offset > node.log.synced_offset

    again = Node(disk)
    again.work()
    assert again.raft.epoch == 2
    image = again.controller.image
    assert image.topics_by_name["orders"] == before.topics_by_name["orders"]
    assert image.brokers == before.brokers
    assert again.controller.in_office
    assert again.ask(create("orders")).topics[0].error_code == 36
    headers = [
        header for part in again.log.read(0, again.log.end_offset, 1 << 20) for header in read_headers(part.read())
    ]
    assert headers[0].is_control
    assert [header.leader_epoch for header in headers] == sorted(header.leader_epoch for header in headers)
