"""The partitions that live on this broker, by topic name and by topic id.

Looked into by the handlers of what is in partitions, from Produce to DescribeProducers; filled by the
partition driver alone.
"""

from __future__ import annotations

from moldau.broker.topic_settings import TopicSettings
from moldau.model import ApiError, ErrorCode
from moldau.replication import Partition


class HostedTopic:
    """A topic's partitions on this broker, and what it is configured to be."""

    __slots__ = ("id", "name", "partitions", "settings")

    def __init__(self, name: str, topic_id: bytes, settings: TopicSettings) -> None:
        self.name = name
        self.id = topic_id
        self.settings = settings
        self.partitions: dict[int, Partition] = {}


class Hosting:
    """All topics with a partition on this broker."""

    __slots__ = ("by_id", "by_name")

    def __init__(self) -> None:
        self.by_name: dict[str, HostedTopic] = {}
        self.by_id: dict[bytes, HostedTopic] = {}

    def add(self, topic: HostedTopic) -> None:
        """Show it to clients."""
        self.by_name[topic.name] = topic
        self.by_id[topic.id] = topic

    def remove(self, topic: HostedTopic) -> None:
        """Show it no more."""
        del self.by_id[topic.id]
        if self.by_name.get(topic.name) is topic:
            del self.by_name[topic.name]

    def partitions(self) -> list[Partition]:
        """Every partition, topic by topic."""
        return [partition for topic in self.by_id.values() for partition in topic.partitions.values()]

    def partition(self, name: str, index: int) -> Partition:
        """The partition; UNKNOWN_TOPIC_OR_PARTITION when it is not here."""
        topic = self.by_name.get(name)
        partition = topic.partitions.get(index) if topic is not None else None
        if partition is None:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no partition {name}-{index} here")
        return partition
