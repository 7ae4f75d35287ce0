"""What is known of the cluster, from one answer to the next."""

from __future__ import annotations

from moldau.client.topology import Topology
from moldau.protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

FIRST, SECOND = b"1" * 16, b"2" * 16


def answer(*leaders: tuple[int, int], topic_id: bytes = FIRST, error: int = 0) -> MetadataResponse:
    partitions = [
        MetadataResponsePartition(partition_index=index, leader_id=leader, leader_epoch=epoch, replica_nodes=[1, 2])
        for index, (leader, epoch) in enumerate(leaders)
    ]
    return MetadataResponse(
        cluster_id="c",
        controller_id=1,
        brokers=[MetadataResponseBroker(node_id=1, host="h", port=9)],
        topics=[MetadataResponseTopic(name="t", topic_id=topic_id, error_code=error, partitions=partitions)],
    )


def test_topics_brokers_and_ids_are_learned() -> None:
    topology = Topology()
    topology.learn(answer((1, 5), (2, 7)), 10)
    assert topology.topics["t"].leaders == [1, 2]
    assert topology.topic_name(FIRST) == "t"
    node = topology.node(1)
    assert node is not None
    assert (node.host, node.port, topology.node(2)) == ("h", 9, None)
    assert topology.partition("t", 2) is None


def test_an_older_epoch_does_not_replace_a_newer_one() -> None:
    topology = Topology()
    topology.learn(answer((2, 5)), 10)
    topology.learn(answer((1, 4)), 11)
    partition = topology.partition("t", 0)
    assert partition is not None
    assert (partition.leader, partition.leader_epoch) == (2, 5)
    topology.learn(answer((3, 6)), 12)
    assert topology.topics["t"].leaders == [3]


def test_a_topic_made_anew_starts_anew() -> None:
    topology = Topology()
    topology.learn(answer((2, 5)), 10)
    topology.learn(answer((1, 0), topic_id=SECOND), 11)
    assert topology.topics["t"].leaders == [1]
    assert topology.topic_name(FIRST) is None
    assert topology.topic_name(SECOND) == "t"


def test_a_topic_that_is_gone_is_forgotten_and_one_in_trouble_is_not() -> None:
    topology = Topology()
    topology.learn(answer((2, 5)), 10)
    topology.learn(answer(error=5), 11)
    assert topology.errors == {"t": 5}
    assert topology.topics["t"].leaders == [2]
    topology.learn(answer(error=3), 12)
    assert "t" not in topology.topics
    assert topology.topic_name(FIRST) is None
    topology.learn(answer((1, 1)), 13)
    assert topology.errors == {}
