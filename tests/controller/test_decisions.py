"""DeleteTopics, brokers that come and go, producer ids, and the first records of a cluster."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moldau.controller import (
    Outcome,
    allocate_producer_ids,
    bootstrap_records,
    create_topics,
    delete_topics,
    fence_broker,
    register_broker,
    unfence_broker,
)
from moldau.metadata import Image
from moldau.model import ApiError, ErrorCode
from moldau.protocol.messages.create_topics import CreatableReplicaAssignment, CreatableTopic, CreateTopicsRequest
from moldau.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse, DeleteTopicState
from tests.controller.cluster import CLUSTER, DEFAULTS, KnownConfigs, after, cluster, ids, registration


def with_topics(image: Image, *placed: list[int]) -> Image:
    topics = [
        CreatableTopic(
            name=f"t{number}",
            num_partitions=-1,
            replication_factor=-1,
            assignments=[CreatableReplicaAssignment(partition_index=0, broker_ids=brokers)],
        )
        for number, brokers in enumerate(placed)
    ]
    request = CreateTopicsRequest(topics=topics)
    outcome = create_topics(request, image, new_id=ids(), configs=KnownConfigs(), defaults=DEFAULTS)
    return after(image, outcome.records)


def told(outcome: Outcome[DeleteTopicsResponse]) -> list[tuple[str | None, int]]:
    return [(one.name, one.error_code) for one in outcome.response.responses]


class TestDeleteTopics:
    def test_by_name_in_old_versions(self) -> None:
        image = with_topics(cluster(1), [1], [1])
        outcome = delete_topics(DeleteTopicsRequest(topic_names=["t1", "nope"]), image)
        assert told(outcome) == [("t1", 0), ("nope", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)]
        assert list(after(image, outcome.records).topics_by_name) == ["t0"]

    def test_by_name_and_by_id(self) -> None:
        image = with_topics(cluster(1), [1], [1], [1])
        first, second = image.topics_by_name["t0"], image.topics_by_name["t1"]
        states = [
            DeleteTopicState(name="t0"),
            DeleteTopicState(topic_id=second.id),
            DeleteTopicState(topic_id=b"x" * 16),
        ]
        outcome = delete_topics(DeleteTopicsRequest(topics=states), image)
        assert told(outcome) == [("t0", 0), ("t1", 0), (None, ErrorCode.UNKNOWN_TOPIC_ID)]
        assert [one.topic_id for one in outcome.response.responses][:2] == [first.id, second.id]
        assert list(after(image, outcome.records).topics_by_name) == ["t2"]

    def test_a_topic_named_twice_stays(self) -> None:
        image = with_topics(cluster(1), [1], [1])
        by_id = DeleteTopicState(topic_id=image.topics_by_name["t0"].id)
        outcome = delete_topics(DeleteTopicsRequest(topics=[DeleteTopicState(name="t0"), by_id]), image)
        assert told(outcome) == [("t0", ErrorCode.INVALID_REQUEST), (None, ErrorCode.INVALID_REQUEST)]
        outcome = delete_topics(DeleteTopicsRequest(topic_names=["t0", "t1", "t0"]), image)
        assert told(outcome) == [("t0", ErrorCode.INVALID_REQUEST), ("t1", 0)]

    def test_neither_or_both(self) -> None:
        image = with_topics(cluster(1), [1])
        both = DeleteTopicState(name="t0", topic_id=image.topics_by_name["t0"].id)
        outcome = delete_topics(DeleteTopicsRequest(topics=[both, DeleteTopicState()]), image)
        assert [code for _, code in told(outcome)] == [ErrorCode.INVALID_REQUEST] * 2
        assert outcome.records == ()

    def test_switched_off(self) -> None:
        image = with_topics(cluster(1), [1])
        outcome = delete_topics(DeleteTopicsRequest(topic_names=["t0"]), image, enabled=False)
        assert told(outcome) == [("t0", ErrorCode.TOPIC_DELETION_DISABLED)]
        assert outcome.records == ()


class TestBrokers:
    def test_the_epoch_is_the_offset_of_the_record(self) -> None:
        image = Image(CLUSTER, offset=41)
        outcome = register_broker(registration(1), image, 42)
        assert outcome.response == 42
        registered = after(image, outcome.records).brokers[1]
        assert (registered.epoch, registered.fenced, registered.log_dirs) == (42, True, (bytes([1]) * 16,))

    def test_the_same_incarnation_keeps_its_epoch(self) -> None:
        image = cluster(1)
        outcome = register_broker(registration(1), image, 99)
        assert (outcome.records, outcome.response) == ((), image.brokers[1].epoch)

    def test_a_new_incarnation_leads_in_a_new_epoch(self) -> None:
        image = with_topics(cluster(1, 2), [1], [1, 2])
        outcome = register_broker(registration(1, incarnation=2), image, image.offset + 1)
        image = after(image, outcome.records)
        alone, shared = (topic.partitions[0] for topic in image.topics_by_name.values())
        assert (alone.isr, alone.leader, alone.leader_epoch) == ((1,), -1, 1)
        assert (shared.isr, shared.leader, shared.leader_epoch) == ((2,), 2, 1)
        image = after(image, unfence_broker(image, 1, outcome.response).records)
        alone, shared = (topic.partitions[0] for topic in image.topics_by_name.values())
        assert (alone.isr, alone.leader, alone.leader_epoch) == ((1,), 1, 2)
        assert shared.leader == 2

    def test_a_lost_broker_leads_nothing(self) -> None:
        image = with_topics(cluster(1, 2, 3), [1, 2, 3], [2, 1], [3])
        image = after(image, fence_broker(image, 1, image.brokers[1].epoch).records)
        states = [topic.partitions[0] for topic in image.topics_by_name.values()]
        assert [(one.isr, one.leader) for one in states] == [((2, 3), 2), ((2,), 2), ((3,), 3)]
        assert fence_broker(image, 1, image.brokers[1].epoch).records == ()

    def test_unfencing_twice_changes_nothing(self) -> None:
        image = cluster(1)
        assert unfence_broker(image, 1, image.brokers[1].epoch).records == ()

    def test_refused(self) -> None:
        image = after(cluster(1), bootstrap_records({"group.version": 1}))
        for code, wrong in (
            (ErrorCode.INCONSISTENT_CLUSTER_ID, replace(registration(2), cluster_id="another")),
            (ErrorCode.INVALID_REGISTRATION, replace(registration(2), incarnation_id=bytes(16))),
            (ErrorCode.INVALID_REGISTRATION, replace(registration(2), endpoints=())),
            (ErrorCode.UNSUPPORTED_VERSION, registration(2)),
        ):
            with pytest.raises(ApiError) as refused:
                register_broker(wrong, image, 9)
            assert refused.value.code is code
        for code, number, epoch in (
            (ErrorCode.BROKER_ID_NOT_REGISTERED, 7, 0),
            (ErrorCode.STALE_BROKER_EPOCH, 1, 12345),
        ):
            with pytest.raises(ApiError) as refused:
                unfence_broker(image, number, epoch)
            assert refused.value.code is code


def test_producer_ids_come_in_blocks_and_never_again() -> None:
    image = cluster(1)
    epoch = image.brokers[1].epoch
    blocks = []
    for _ in range(3):
        outcome = allocate_producer_ids(image, 1, epoch)
        blocks.append((outcome.response.first, outcome.response.count))
        image = after(image, outcome.records)
    assert blocks == [(0, 1000), (1000, 1000), (2000, 1000)]
    with pytest.raises(ApiError) as refused:
        allocate_producer_ids(image, 1, epoch + 1)
    assert refused.value.code is ErrorCode.STALE_BROKER_EPOCH


def test_the_first_records_tell_only_what_is_done() -> None:
    image = after(Image(CLUSTER), bootstrap_records({"share.version": 0, "group.version": 1}))
    assert image.features == {"metadata.version": 30, "group.version": 1}
