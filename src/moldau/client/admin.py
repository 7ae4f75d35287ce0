"""Admin's verbs. The synchronous ones are generated from this file."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from moldau.client import topics
from moldau.client.cluster import Cluster
from moldau.client.runner import AsyncRunner
from moldau.client.topics import ClusterDescription, ConfigEntry, TopicListing
from moldau.client.topology import TopicInfo


class AsyncAdmin:
    """Topics and cluster; the client's `admin`."""

    def __init__(self, runner: AsyncRunner, cluster: Callable[[], Cluster]) -> None:
        self._runner = runner
        self._cluster = cluster

    async def create_topic(
        self,
        name: str,
        partitions: int = -1,
        replication_factor: int = -1,
        configs: Mapping[str, object] | None = None,
    ) -> TopicInfo:
        """Make a topic; -1 leaves a number to the brokers. When it returns, the topic can be used."""
        return await self._runner.wait(
            topics.create_topic(self._cluster(), name, partitions, replication_factor, configs or {})
        )

    async def delete_topic(self, name: str) -> None:
        """Delete a topic and all that is in it."""
        await self._runner.wait(topics.delete_topic(self._cluster(), name))

    async def list_topics(self, internal: bool = False) -> list[TopicListing]:
        """All topics, by name; with `internal` also those that brokers keep for themselves."""
        return await self._runner.wait(topics.list_topics(self._cluster(), internal))

    async def describe_topic(self, name: str) -> TopicInfo:
        """A topic's id and its partitions: leaders, replicas, who is in sync."""
        return await self._runner.wait(topics.describe_topic(self._cluster(), name))

    async def describe_cluster(self) -> ClusterDescription:
        """The cluster's id, its controller and its brokers."""
        return await self._runner.wait(topics.describe_cluster(self._cluster()))

    async def describe_topic_configs(self, name: str) -> dict[str, ConfigEntry]:
        """A topic's configuration."""
        return await self._runner.wait(topics.describe_configs(self._cluster(), topics.TOPIC, name))

    async def describe_broker_configs(self, broker: int) -> dict[str, ConfigEntry]:
        """A broker's configuration."""
        return await self._runner.wait(topics.describe_configs(self._cluster(), topics.BROKER, str(broker)))
