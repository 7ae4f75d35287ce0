"""What admin does: topics made, described and deleted, the cluster and its configuration read.

The verbs are in `admin`; these are the calls behind them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moldau.channel import Channel
from moldau.client.cluster import Cluster
from moldau.client.connections import pause_ms_after
from moldau.client.errors import TimedOut, broker_error
from moldau.client.topology import Node, TopicInfo
from moldau.model import ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from moldau.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from moldau.protocol.messages.describe_cluster import DescribeClusterRequest, DescribeClusterResponse
from moldau.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
)

TOPIC, BROKER = 2, 4
"""Kafka's numbers for kinds of resources."""

_SOURCES = {
    1: "topic",
    2: "broker, changed at run time",
    3: "cluster, changed at run time",
    4: "broker's file",
    5: "default",
    6: "broker's logger",
    7: "client metrics",
    8: "group",
}
_FIRST_WITH_STATES = 6


@dataclass(frozen=True, slots=True)
class TopicListing:
    """One topic in a list."""

    name: str
    id: bytes
    internal: bool
    partitions: int


@dataclass(frozen=True, slots=True)
class ClusterDescription:
    """The cluster and its brokers."""

    cluster_id: str
    controller: int
    brokers: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """One configured value and where it comes from."""

    name: str
    value: str | None
    source: str
    read_only: bool
    sensitive: bool

    @property
    def is_default(self) -> bool:
        """Whether nobody set it."""
        return self.source == "default"


async def create_topic(
    cluster: Cluster, name: str, partitions: int, replication_factor: int, configs: Mapping[str, object]
) -> TopicInfo:
    """Make a topic and wait until every partition has a leader that this client knows."""
    wanted = CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=replication_factor,
        configs=[CreatableTopicConfig(name=key, value=_text(value)) for key, value in configs.items()],
    )
    tried = f"create topic {name!r}"
    first = True

    async def attempt() -> None:
        nonlocal first
        request = CreateTopicsRequest(topics=[wanted], timeout_ms=round(cluster.settings.request_timeout * 1000))
        answer: CreateTopicsResponse = await cluster.call(request, tried, controller=True)
        for result in answer.topics:
            repeated = result.error_code == ErrorCode.TOPIC_ALREADY_EXISTS and not first
            first = False
            if result.error_code and not repeated:
                raise broker_error(result.error_code, tried, result.error_message)

    await cluster.retrying(tried, attempt)
    return await _led(cluster, name)


async def delete_topic(cluster: Cluster, name: str) -> None:
    """Delete a topic and wait until the brokers that are asked no longer know it."""
    timeout_ms = round(cluster.settings.request_timeout * 1000)

    def request(channel: Channel) -> DeleteTopicsRequest:
        if channel.version(ApiKey.DELETE_TOPICS) < _FIRST_WITH_STATES:
            return DeleteTopicsRequest(topic_names=[name], timeout_ms=timeout_ms)
        return DeleteTopicsRequest(topics=[DeleteTopicState(name=name)], timeout_ms=timeout_ms)

    tried = f"delete topic {name!r}"
    answer = await cluster.call(request, tried, controller=True)
    for result in answer.responses:
        if result.error_code:
            raise broker_error(result.error_code, tried, result.error_message)
    attempts = 0
    while name in cluster.topology.topics or not attempts:
        attempts += 1
        await cluster.refresh([name])
        if name in cluster.topology.topics:
            await _pause(cluster, attempts, f"topic {name!r} is still there after it was deleted")


async def list_topics(cluster: Cluster, internal: bool) -> list[TopicListing]:
    """All topics, by name."""
    answer = await cluster.refresh(None)
    return sorted(
        (
            TopicListing(topic.name, topic.topic_id, topic.is_internal, len(topic.partitions))
            for topic in answer.topics
            if topic.name is not None and topic.error_code == ErrorCode.NONE and (internal or not topic.is_internal)
        ),
        key=lambda listing: listing.name,
    )


async def describe_topic(cluster: Cluster, name: str) -> TopicInfo:
    """One topic as the cluster describes it now."""
    await cluster.refresh([name])
    return await cluster.topic(name)


async def describe_cluster(cluster: Cluster) -> ClusterDescription:
    """The cluster as it describes itself now."""
    answer: DescribeClusterResponse = await cluster.call(DescribeClusterRequest(), "describe the cluster")
    if answer.error_code:
        raise broker_error(answer.error_code, "describing the cluster", answer.error_message)
    brokers = tuple(Node(broker.broker_id, broker.host, broker.port, broker.rack) for broker in answer.brokers)
    return ClusterDescription(
        answer.cluster_id, answer.controller_id, tuple(sorted(brokers, key=lambda broker: broker.id))
    )


async def describe_configs(cluster: Cluster, kind: int, name: str) -> dict[str, ConfigEntry]:
    """The configuration of a topic or a broker."""
    request = DescribeConfigsRequest(
        resources=[DescribeConfigsResource(resource_type=kind, resource_name=name, configuration_keys=None)]
    )
    tried = f"describe the configuration of {'topic' if kind == TOPIC else 'broker'} {name!r}"

    async def attempt() -> DescribeConfigsResponse:
        answer: DescribeConfigsResponse = await (
            cluster.call_node(int(name), request) if kind == BROKER else cluster.call(request, tried)
        )
        return answer

    answer = await cluster.retrying(tried, attempt)
    entries: dict[str, ConfigEntry] = {}
    for result in answer.results:
        if result.error_code:
            raise broker_error(result.error_code, tried, result.error_message)
        for entry in result.configs:
            entries[entry.name] = _entry(entry)
    return entries


def _entry(entry: DescribeConfigsResourceResult) -> ConfigEntry:
    source = _SOURCES.get(entry.config_source, "unknown")
    return ConfigEntry(entry.name, entry.value, source, entry.read_only, entry.is_sensitive)


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


async def _led(cluster: Cluster, name: str) -> TopicInfo:
    attempts = 0
    while True:
        attempts += 1
        await cluster.refresh([name])
        known = cluster.topology.topics.get(name)
        if known is not None and known.partitions and -1 not in known.leaders:
            return known
        await _pause(cluster, attempts, f"topic {name!r} was made, but not every partition has a leader yet")


async def _pause(cluster: Cluster, attempts: int, trouble: str) -> None:
    pause_ms = pause_ms_after(cluster.settings, attempts)
    if attempts * pause_ms > cluster.settings.operation_timeout * 1000:
        raise TimedOut(f"{trouble}, after {attempts} looks; see whether the brokers are well")
    await cluster.environment.clock.sleep(pause_ms)
