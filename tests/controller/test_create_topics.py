"""CreateTopics: what is made, what is refused, and how it is told."""

from __future__ import annotations

from typing import Any

import pytest

from moldau.controller import Outcome, create_topics, fence_broker
from moldau.metadata import Image
from moldau.model import ApiError, ErrorCode
from moldau.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from moldau.protocol.tables import ZERO_UUID
from tests.controller.cluster import DEFAULTS, KnownConfigs, after, cluster, ids


def ask(image: Image, *topics: CreatableTopic, validate_only: bool = False) -> Outcome[CreateTopicsResponse]:
    request = CreateTopicsRequest(topics=list(topics), validate_only=validate_only)
    return create_topics(request, image, new_id=ids(), configs=KnownConfigs(), defaults=DEFAULTS)


def topic(name: str = "orders", partitions: int = -1, replicas: int = -1, **rest: Any) -> CreatableTopic:
    return CreatableTopic(name=name, num_partitions=partitions, replication_factor=replicas, **rest)


def assigned(*replicas: list[int], first: int = 0, **rest: Any) -> CreatableTopic:
    assignments = [
        CreatableReplicaAssignment(partition_index=first + index, broker_ids=ids) for index, ids in enumerate(replicas)
    ]
    return topic(assignments=assignments, **rest)


def only(outcome: Outcome[CreateTopicsResponse]) -> CreatableTopicResult:
    (result,) = outcome.response.topics
    return result


def test_the_defaults() -> None:
    image = cluster(1)
    outcome = ask(image, topic())
    result = only(outcome)
    assert (result.error_code, result.error_message, result.num_partitions, result.replication_factor) == (
        0,
        None,
        3,
        1,
    )
    made = after(image, outcome.records).topics_by_name["orders"]
    assert made.id == result.topic_id != ZERO_UUID
    assert [(one.replicas, one.isr, one.leader, one.leader_epoch) for one in made.partitions] == [
        ((1,), (1,), 1, 0)
    ] * 3
    assert made.partitions[0].directories == (bytes([1]) * 16,)


def test_configs_are_kept_and_told() -> None:
    image = cluster(1)
    outcome = ask(image, topic(configs=[CreatableTopicConfig(name="retention.ms", value="5")]))
    assert after(image, outcome.records).topic_configs("orders") == {"retention.ms": "5"}
    assert only(outcome).configs is not None
    assert [(one.name, one.value, one.config_source) for one in only(outcome).configs or []] == [
        ("cleanup.policy", "delete", 5),
        ("retention.ms", "5", 1),
    ]
    assert [type(record).__name__ for record in outcome.records[:3]] == [
        "TopicRecord",
        "ConfigRecord",
        "PartitionRecord",
    ]


def test_only_validated() -> None:
    outcome = ask(cluster(1), topic(partitions=2), topic("bad name"), validate_only=True)
    assert outcome.records == ()
    good, bad = outcome.response.topics
    assert (good.error_code, good.num_partitions, good.topic_id) == (0, 2, ZERO_UUID)
    assert bad.error_code == ErrorCode.INVALID_TOPIC_EXCEPTION


def test_each_topic_stands_by_itself() -> None:
    outcome = ask(cluster(1), topic("a"), topic("b", replicas=3), topic("c"))
    assert [(one.name, one.error_code) for one in outcome.response.topics] == [("a", 0), ("b", 38), ("c", 0)]
    assert sorted(after(cluster(1), outcome.records).topics_by_name) == ["a", "c"]


def test_a_name_twice_in_one_request() -> None:
    outcome = ask(cluster(1), topic("a"), topic("b"), topic("a"), topic("a"))
    assert [(one.name, one.error_code) for one in outcome.response.topics] == [("a", 42), ("b", 0)]


def test_what_exists_and_what_collides() -> None:
    image = after(cluster(1), ask(cluster(1), topic("a.b")).records)
    assert only(ask(image, topic("a.b"))).error_code == ErrorCode.TOPIC_ALREADY_EXISTS
    collides = only(ask(image, topic("a_b")))
    assert collides.error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert "the topic 'a.b' would have one name in metrics" in (collides.error_message or "")
    both = ask(image, topic("x.y"), topic("x_y"))
    assert [one.error_code for one in both.response.topics] == [0, ErrorCode.INVALID_TOPIC_EXCEPTION]


@pytest.mark.parametrize("name", ["", ".", "..", "a b", "ä", "a/b", "x" * 250])
def test_names_that_are_none(name: str) -> None:
    assert only(ask(cluster(1), topic(name))).error_code == ErrorCode.INVALID_TOPIC_EXCEPTION


@pytest.mark.parametrize("name", ["a", "A-1_b.c", "x" * 249, "__consumer_offsets"])
def test_names_that_are_some(name: str) -> None:
    assert only(ask(cluster(1), topic(name))).error_code == 0


@pytest.mark.parametrize(
    ("wanted", "code", "says"),
    [
        (topic("__cluster_metadata"), ErrorCode.INVALID_REQUEST, "the cluster's own"),
        (topic(partitions=0), ErrorCode.INVALID_PARTITIONS, "0 partitions cannot be"),
        (topic(partitions=-2), ErrorCode.INVALID_PARTITIONS, "-2 partitions cannot be"),
        (topic(replicas=0), ErrorCode.INVALID_REPLICATION_FACTOR, "0 replicas cannot be"),
        (topic(replicas=-5), ErrorCode.INVALID_REPLICATION_FACTOR, "-5 replicas cannot be"),
        (topic(replicas=3), ErrorCode.INVALID_REPLICATION_FACTOR, "there are 2"),
        (topic(partitions=10_001), ErrorCode.POLICY_VIOLATION, "10000"),
        (assigned([1], partitions=1), ErrorCode.INVALID_REQUEST, "leave the number at -1"),
        (assigned([1], replicas=1), ErrorCode.INVALID_REQUEST, "leave the factor at -1"),
        (assigned([]), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "no broker"),
        (assigned([1, 1]), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "twice"),
        (assigned([9]), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "broker 9, which is not registered"),
        (assigned([1], [1, 2]), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "the same number"),
        (assigned([1], [2], first=1), ErrorCode.INVALID_REPLICA_ASSIGNMENT, "number them from 0"),
        (
            topic(assignments=[CreatableReplicaAssignment(broker_ids=[1]), CreatableReplicaAssignment(broker_ids=[2])]),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "assigned twice",
        ),
        (topic(configs=[CreatableTopicConfig(name="no.such", value="1")]), ErrorCode.INVALID_CONFIG, "no.such"),
        (topic(configs=[CreatableTopicConfig(name="retention.ms", value="x")]), ErrorCode.INVALID_CONFIG, "retention"),
        (
            topic(configs=[CreatableTopicConfig(name="retention.ms", value=None)]),
            ErrorCode.INVALID_CONFIG,
            "has no value",
        ),
    ],
)
def test_refused(wanted: CreatableTopic, code: ErrorCode, says: str) -> None:
    outcome = ask(cluster(1, 2), wanted)
    assert outcome.records == ()
    assert only(outcome).error_code == code
    assert says in (only(outcome).error_message or "")


def test_too_many_partitions_in_all_refuse_every_topic() -> None:
    outcome = ask(cluster(1), topic("a", 6_000), topic("b", 6_000))
    assert [one.error_code for one in outcome.response.topics] == [ErrorCode.POLICY_VIOLATION] * 2


def test_too_many_topics_refuse_the_request() -> None:
    with pytest.raises(ApiError) as refused:
        ask(cluster(1), *(topic(f"t{number}") for number in range(10_001)))
    assert refused.value.code is ErrorCode.POLICY_VIOLATION


def test_assigned_as_told() -> None:
    image = cluster(1, 2, 3)
    made = after(image, ask(image, assigned([2, 3], [3, 1])).records).topics_by_name["orders"]
    assert [(one.replicas, one.leader) for one in made.partitions] == [((2, 3), 2), ((3, 1), 3)]


def test_a_fenced_broker_is_assigned_but_not_in_sync() -> None:
    image = cluster(1, 2)
    image = after(image, fence_broker(image, 1, image.brokers[1].epoch).records)
    made = after(image, ask(image, assigned([1, 2])).records).topics_by_name["orders"]
    assert (made.partitions[0].isr, made.partitions[0].leader) == ((2,), 2)
    assert only(ask(image, assigned([1]))).error_code == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert only(ask(image, topic(replicas=2))).error_code == ErrorCode.INVALID_REPLICATION_FACTOR


def test_replicas_are_spread_over_brokers_and_racks() -> None:
    image = cluster(1, 2, 3, 4, racks={1: "a", 2: "a", 3: "b", 4: "b"})
    made = after(image, ask(image, topic(partitions=8, replicas=2)).records).topics_by_name["orders"]
    leaders = [one.leader for one in made.partitions]
    assert sorted(leaders) == [1, 1, 2, 2, 3, 3, 4, 4]
    held = [replica for one in made.partitions for replica in one.replicas]
    assert max(held.count(number) for number in (1, 2, 3, 4)) <= 5
    assert all(len(frozenset(one.replicas)) == 2 for one in made.partitions)
