"""The controller on a quorum: decide, propose, commit, answer; and what a crash or a lost office leaves behind."""

from __future__ import annotations

import random
from typing import Any

from moldau.controller import (
    Answer,
    Outcome,
    QuorumController,
    allocate_producer_ids,
    bootstrap_records,
    create_topics,
    delete_topics,
    register_broker,
    unfence_broker,
)
from moldau.metadata import Delta, Image
from moldau.model import ErrorCode
from moldau.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest, CreateTopicsResponse
from moldau.protocol.messages.delete_topics import DeleteTopicsRequest
from moldau.raft import BeginQuorumEpochRequest, Raft, RaftConfig
from tests.controller.cluster import CLUSTER, DEFAULTS, KnownConfigs, ids, registration
from tests.raft.voters import Disk


class Voter:
    """A controller on one disk; what is appended is synced when the test says so."""

    def __init__(self, disk: Disk, voters: tuple[int, ...] = (1,)) -> None:
        self.disk = disk
        self.new_id = ids()
        self.raft = Raft(RaftConfig(1, voters), disk.state, disk, random.Random(1), 0)
        self.controller = QuorumController(self.raft, CLUSTER, bootstrap_records({}))
        self.answers: list[Answer] = []
        self.deltas: list[Delta] = []
        self.turn()

    def turn(self) -> None:
        while (ready := self.raft.ready()) is not None:
            if ready.save is not None:
                self.disk.state = ready.save
            assert ready.truncate_to is None
            self.disk.batches.extend(ready.append)
            if ready.commit is not None:
                applied, commit = self.controller.image.offset + 1, ready.commit
                batches = [one for one in self.disk.batches if applied <= one.base_offset < commit]
                delta = self.controller.committed(batches)
                if delta is not None:
                    self.deltas.append(delta)
            self.raft.advance()
            self.answers += self.controller.settle()
        self.answers += self.controller.settle()

    def sync(self) -> None:
        while self.disk.synced < self.disk.end_offset:
            self.disk.synced = self.disk.end_offset
            self.raft.synced(self.disk.synced, 0)
            self.turn()

    def ask(self, token: str, decide: Any) -> None:
        self.controller.request(decide, token)
        self.turn()

    def create(self, token: str, *names: str) -> None:
        def decide(image: Image, next_offset: int) -> Outcome[CreateTopicsResponse]:
            topics = [CreatableTopic(name=name, num_partitions=1, replication_factor=1) for name in names]
            request = CreateTopicsRequest(topics=topics)
            return create_topics(request, image, new_id=self.new_id, configs=KnownConfigs(), defaults=DEFAULTS)

        self.ask(token, decide)

    def take(self) -> list[tuple[object, ErrorCode | None]]:
        answers, self.answers = self.answers, []
        return [(one.token, one.error.code if one.error else None) for one in answers]


def started(disk: Disk | None = None) -> Voter:
    voter = Voter(disk or Disk())
    voter.sync()
    voter.ask("register", lambda image, offset: register_broker(registration(1, voter.raft.epoch), image, offset))
    voter.sync()
    (answer,) = voter.answers
    voter.answers = []
    voter.ask("unfence", lambda image, _: unfence_broker(image, 1, answer.response))
    voter.sync()
    assert voter.take() == [("unfence", None)]
    return voter


def test_a_new_cluster_writes_its_features_first() -> None:
    voter = Voter(Disk())
    assert not voter.controller.in_office
    voter.sync()
    assert voter.controller.in_office
    assert voter.controller.image.features == {"metadata.version": 30}
    assert [batch.control for batch in voter.disk.batches] == [True, False]


def test_nothing_is_answered_before_it_is_synced() -> None:
    voter = started()
    voter.create("orders", "orders")
    assert voter.take() == []
    assert voter.controller.image.topics_by_name == {}
    voter.sync()
    assert voter.take() == [("orders", None)]
    assert list(voter.controller.image.topics_by_name) == ["orders"]
    assert [topic.name for topic in voter.deltas[-1].topics_created] == ["orders"]


def test_decisions_see_what_is_not_committed_yet_and_wait_for_it() -> None:
    voter = started()
    voter.create("first", "orders")
    voter.create("second", "orders")
    assert voter.take() == []
    voter.sync()
    assert [one.response.topics[0].error_code for one in voter.answers] == [0, ErrorCode.TOPIC_ALREADY_EXISTS]
    assert voter.take() == [("first", None), ("second", None)]
    voter.create("third", "orders")
    assert voter.take() == [("third", None)]


def test_a_refusal_is_told_at_once() -> None:
    voter = started()
    voter.ask("ids", lambda image, _: allocate_producer_ids(image, 9, 9))
    assert voter.take() == [("ids", ErrorCode.BROKER_ID_NOT_REGISTERED)]


def test_a_restart_goes_on_where_it_was() -> None:
    voter = started()
    voter.create("a", "a", "b")
    voter.ask("delete", lambda image, _: delete_topics(DeleteTopicsRequest(topic_names=["a"]), image))
    voter.ask("ids", lambda image, _: allocate_producer_ids(image, 1, image.brokers[1].epoch))
    voter.sync()
    before = voter.controller.image
    again = Voter(voter.disk)
    again.sync()
    assert again.raft.epoch == voter.raft.epoch + 1
    after = again.controller.image
    assert (after.topics_by_name, after.brokers, after.features) == (
        before.topics_by_name,
        before.brokers,
        before.features,
    )
    assert (after.next_producer_id, after.offset) == (1000, before.offset + 1)


def test_a_crash_before_the_sync_loses_the_answer_and_nothing_else() -> None:
    for kept in (False, True):
        voter = started()
        voter.create("orders", "orders")
        if not kept:
            voter.disk.truncate(voter.disk.synced)
        voter.disk.synced = voter.disk.end_offset
        again = started(voter.disk)
        assert ("orders" in again.controller.image.topics_by_name) == kept
        again.create("again", "orders")
        again.sync()
        assert list(again.controller.image.topics_by_name) == ["orders"]
        code = ErrorCode.TOPIC_ALREADY_EXISTS if kept else ErrorCode.NONE
        assert again.answers[0].response.topics[0].error_code == code


def test_who_loses_office_tells_everybody() -> None:
    voter = started()
    voter.create("orders", "orders")
    voter.raft.config = RaftConfig(1, (1, 2, 3))
    voter.raft.step(BeginQuorumEpochRequest(2, 1, voter.raft.epoch + 1), 0)
    voter.turn()
    assert voter.take() == [("orders", ErrorCode.NOT_CONTROLLER)]
    assert not voter.controller.in_office
    voter.create("later", "later")
    assert voter.take() == [("later", ErrorCode.NOT_CONTROLLER)]


def test_only_so_many_may_wait() -> None:
    voter = started()
    for number in range(1001):
        voter.controller.request(lambda image, _: allocate_producer_ids(image, 1, image.brokers[1].epoch), number)
    voter.turn()
    assert voter.take() == [(1000, ErrorCode.THROTTLING_QUOTA_EXCEEDED)]
    voter.sync()
    assert len(voter.take()) == 1000
