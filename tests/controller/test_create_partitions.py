"""CreatePartitions: what grows, what is refused, and how it is told."""

from __future__ import annotations

import pytest

from moldau.controller import Outcome, create_partitions, create_topics, fence_broker
from moldau.metadata import Image
from moldau.model import ApiError, ErrorCode
from moldau.protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
)
from moldau.protocol.messages.create_topics import CreatableReplicaAssignment, CreatableTopic, CreateTopicsRequest
from tests.controller.cluster import DEFAULTS, KnownConfigs, after, cluster, ids


def with_topics(image: Image, **placed: list[list[int]]) -> Image:
    topics = [
        CreatableTopic(
            name=name,
            num_partitions=-1,
            replication_factor=-1,
            assignments=[
                CreatableReplicaAssignment(partition_index=index, broker_ids=brokers)
                for index, brokers in enumerate(partitions)
            ],
        )
        for name, partitions in placed.items()
    ]
    request = CreateTopicsRequest(topics=topics)
    outcome = create_topics(request, image, new_id=ids(), configs=KnownConfigs(), defaults=DEFAULTS)
    return after(image, outcome.records)


def to(name: str, count: int, *replicas: list[int]) -> CreatePartitionsTopic:
    assignments = [CreatePartitionsAssignment(broker_ids=brokers) for brokers in replicas] or None
    return CreatePartitionsTopic(name=name, count=count, assignments=assignments)


def grow(
    image: Image, *topics: CreatePartitionsTopic, validate_only: bool = False
) -> Outcome[CreatePartitionsResponse]:
    return create_partitions(CreatePartitionsRequest(topics=list(topics), validate_only=validate_only), image)


def told(outcome: Outcome[CreatePartitionsResponse]) -> list[tuple[str, int]]:
    return [(one.name, one.error_code) for one in outcome.response.results]


def test_the_old_partitions_stay_and_the_new_ones_have_leaders() -> None:
    image = with_topics(cluster(1), a=[[1]])
    before = image.topics_by_name["a"]
    outcome = grow(image, to("a", 3))
    assert told(outcome) == [("a", 0)]
    assert outcome.response.results[0].error_message is None
    grown = after(image, outcome.records).topics_by_name["a"]
    assert (grown.id, grown.partitions[0]) == (before.id, before.partitions[0])
    assert [(one.replicas, one.isr, one.leader, one.leader_epoch) for one in grown.partitions] == [
        ((1,), (1,), 1, 0)
    ] * 3
    assert grown.partitions[2].directories == (bytes([1]) * 16,)


@pytest.mark.parametrize("leader", [1, 2, 3])
def test_the_new_ones_go_on_in_turn_after_the_last(leader: int) -> None:
    image = with_topics(cluster(1, 2, 3), other=[[1]], a=[[leader, leader % 3 + 1]])
    grown = after(image, grow(image, to("a", 6)).records).topics_by_name["a"]
    assert sorted(one.leader for one in grown.partitions) == [1, 1, 2, 2, 3, 3]
    assert sorted(one.leader for one in grown.partitions[:3]) == [1, 2, 3]
    assert all(len(frozenset(one.replicas)) == 2 for one in grown.partitions)


def test_the_turn_goes_on_when_the_last_leader_is_away() -> None:
    image = with_topics(cluster(1, 2), a=[[1]])
    image = after(image, fence_broker(image, 1, image.brokers[1].epoch).records)
    grown = after(image, grow(image, to("a", 3)).records).topics_by_name["a"]
    assert [one.leader for one in grown.partitions[1:]] == [2, 2]


def test_assigned_as_told() -> None:
    image = with_topics(cluster(1, 2, 3), a=[[1, 2]])
    grown = after(image, grow(image, to("a", 3, [3, 1], [2, 3])).records).topics_by_name["a"]
    assert [(one.replicas, one.leader) for one in grown.partitions[1:]] == [((3, 1), 3), ((2, 3), 2)]


def test_a_fenced_broker_is_assigned_but_not_in_sync() -> None:
    image = with_topics(cluster(1, 2), a=[[1, 2]])
    image = after(image, fence_broker(image, 1, image.brokers[1].epoch).records)
    added = after(image, grow(image, to("a", 2, [1, 2])).records).topics_by_name["a"].partitions[1]
    assert (added.replicas, added.isr, added.leader) == ((1, 2), (2,), 2)
    assert told(grow(image, to("a", 2))) == [("a", ErrorCode.INVALID_REPLICATION_FACTOR)]


def test_only_validated() -> None:
    image = with_topics(cluster(1), a=[[1]], b=[[1]])
    outcome = grow(image, to("a", 2), to("b", 1), validate_only=True)
    assert (told(outcome), outcome.records) == ([("a", 0), ("b", ErrorCode.INVALID_PARTITIONS)], ())


def test_each_topic_stands_by_itself() -> None:
    image = with_topics(cluster(1), a=[[1]], b=[[1]], c=[[1]])
    outcome = grow(image, to("a", 2), to("nowhere", 2), to("b", 0), to("c", 3))
    assert told(outcome) == [
        ("a", 0),
        ("nowhere", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("b", ErrorCode.INVALID_PARTITIONS),
        ("c", 0),
    ]
    grown = after(image, outcome.records)
    assert [len(topic.partitions) for topic in grown.topics_by_name.values()] == [2, 1, 3]


def test_a_topic_twice_in_one_request() -> None:
    image = with_topics(cluster(1), a=[[1]], b=[[1]])
    outcome = grow(image, to("a", 2), to("b", 2), to("a", 3))
    assert told(outcome) == [("a", ErrorCode.INVALID_REQUEST), ("b", 0)]
    assert len(after(image, outcome.records).topics_by_name["a"].partitions) == 1


@pytest.mark.parametrize(
    ("wanted", "code", "says"),
    [
        (to("a", 1), ErrorCode.INVALID_PARTITIONS, "ask for 3 or more"),
        (to("a", 2), ErrorCode.INVALID_PARTITIONS, "are no more"),
        (to("a", -1), ErrorCode.INVALID_PARTITIONS, "are no more"),
        (to("a", 10_003), ErrorCode.POLICY_VIOLATION, "10000"),
        (to("a", 3, [1], [2]), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "2 are assigned"),
        (to("a", 4, [1]), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "assign each new one"),
        (
            CreatePartitionsTopic(name="a", count=3, assignments=[]),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "leave the assignments out",
        ),
        (to("a", 3, []), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "no broker"),
        (to("a", 3, [9]), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "broker 9, which is not registered"),
        (to("a", 3, [1, 1]), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "twice"),
        (to("a", 3, [1, 2]), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "the same number"),
        (to("a", 4, [1], [3]), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "partition 3 is assigned to takes part"),
    ],
)
def test_refused(wanted: CreatePartitionsTopic, code: ErrorCode, says: str) -> None:
    image = with_topics(cluster(1, 2, 3), a=[[1], [2]])
    image = after(image, fence_broker(image, 3, image.brokers[3].epoch).records)
    outcome = grow(image, wanted)
    assert outcome.records == ()
    assert told(outcome) == [("a", code)]
    assert says in (outcome.response.results[0].error_message or "")


def test_too_many_in_all_refuse_every_topic() -> None:
    image = with_topics(cluster(1), a=[[1]], b=[[1]])
    outcome = grow(image, to("a", 6_001), to("b", 6_001))
    assert told(outcome) == [("a", ErrorCode.POLICY_VIOLATION), ("b", ErrorCode.POLICY_VIOLATION)]
    assert outcome.records == ()


def test_too_many_topics_refuse_the_request() -> None:
    with pytest.raises(ApiError) as refused:
        grow(cluster(1), *(to(f"t{number}", 2) for number in range(10_001)))
    assert refused.value.code is ErrorCode.POLICY_VIOLATION
