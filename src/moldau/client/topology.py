"""What the client knows of the cluster: brokers, topics, and who leads which partition.

The cluster driver feeds it answers to Metadata; producers, consumers and admin look things up. It never asks anybody.

I1  An older leader epoch of the same topic never replaces a newer one: answers from a broker that lags are common.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from moldau.model import ErrorCode
from moldau.protocol.messages.metadata import MetadataResponse, MetadataResponseTopic

NO_LEADER = -1
NO_TOPIC_ID = bytes(16)


@dataclass(frozen=True, slots=True)
class Node:
    """One broker and where to reach it."""

    id: int
    host: str
    port: int
    rack: str | None = None


@dataclass(frozen=True, slots=True)
class PartitionInfo:
    """One partition as the cluster describes it."""

    index: int
    leader: int
    leader_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TopicInfo:
    """One topic as the cluster describes it."""

    name: str
    id: bytes
    internal: bool
    partitions: tuple[PartitionInfo, ...]
    learned_ms: int

    @property
    def leaders(self) -> list[int]:
        """The leader of each partition, in order; -1 where there is none."""
        return [partition.leader for partition in self.partitions]


class Topology:
    """The newest that is known."""

    def __init__(self) -> None:
        self.cluster_id: str | None = None
        self.controller = NO_LEADER
        self.nodes: dict[int, Node] = {}
        self.topics: dict[str, TopicInfo] = {}
        self.errors: dict[str, int] = {}
        """Topics that were asked for and could not be described, with the error code."""
        self._names: dict[bytes, str] = {}

    def learn(self, answer: MetadataResponse, now_ms: int) -> None:
        """Take over an answer to Metadata."""
        self.cluster_id = answer.cluster_id
        self.controller = answer.controller_id
        self.nodes = {
            broker.node_id: Node(broker.node_id, broker.host, broker.port, broker.rack) for broker in answer.brokers
        }
        for topic in answer.topics:
            if topic.name is None:
                continue
            if topic.error_code == ErrorCode.NONE:
                self._learn_topic(topic.name, topic, now_ms)
            else:
                self.errors[topic.name] = topic.error_code
                if topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                    self._forget(topic.name)

    def topic_name(self, topic_id: bytes) -> str | None:
        """The name of the topic with this id."""
        return self._names.get(topic_id)

    def node(self, node_id: int) -> Node | None:
        """Where that broker is."""
        return self.nodes.get(node_id)

    def partition(self, topic: str, index: int) -> PartitionInfo | None:
        """What is known of a partition."""
        known = self.topics.get(topic)
        if known is None or not 0 <= index < len(known.partitions):
            return None
        return known.partitions[index]

    def _learn_topic(self, name: str, topic: MetadataResponseTopic, now_ms: int) -> None:
        old = self.topics.get(name)
        same = old is not None and (old.id == topic.topic_id or NO_TOPIC_ID in (old.id, topic.topic_id))
        partitions = []
        for described in sorted(topic.partitions, key=lambda partition: partition.partition_index):
            info = PartitionInfo(
                described.partition_index,
                described.leader_id if described.error_code != ErrorCode.LEADER_NOT_AVAILABLE else NO_LEADER,
                described.leader_epoch,
                tuple(described.replica_nodes),
                tuple(described.isr_nodes),
            )
            if same and old is not None and info.index < len(old.partitions):
                info = _newer(old.partitions[info.index], info)
            partitions.append(info)
        if old is not None and not same:
            self._names.pop(old.id, None)
        self.errors.pop(name, None)
        self.topics[name] = TopicInfo(name, topic.topic_id, topic.is_internal, tuple(partitions), now_ms)
        if topic.topic_id != NO_TOPIC_ID:
            self._names[topic.topic_id] = name

    def _forget(self, name: str) -> None:
        old = self.topics.pop(name, None)
        if old is not None:
            self._names.pop(old.id, None)


def _newer(old: PartitionInfo, new: PartitionInfo) -> PartitionInfo:
    if 0 <= new.leader_epoch < old.leader_epoch:
        return replace(new, leader=old.leader, leader_epoch=old.leader_epoch)  # I1
    return new
