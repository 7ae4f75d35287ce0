"""Metadata (API 3). Brokers, topics, partitions and their leaders.

From version 10 a topic also has its id; from version 12 it can be asked for by id alone.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Bool,
    Int16,
    Int32,
    Message,
    NullableString,
    String,
    Table,
    Top,
    Uuid,
    between,
    ignorable,
    nullable_since,
    since,
)


class MetadataRequestTopic(Message):
    """One of the `topics` of `MetadataRequest`."""

    topic_id: Annotated[Uuid, since(10), ignorable] = ZERO_UUID
    name: Annotated[NullableString, nullable_since(10)] = ""


class MetadataRequest(Top):
    """Which topics to tell of; null means all (in version 0 an empty list does)."""

    TABLE: ClassVar[Table] = Table("request", key=3, versions=(0, 13), flexible=9)

    topics: Annotated[list[MetadataRequestTopic] | None, nullable_since(1)] = []
    allow_auto_topic_creation: Annotated[Bool, since(4)] = True
    include_cluster_authorized_operations: Annotated[Bool, between(8, 10)] = False
    include_topic_authorized_operations: Annotated[Bool, since(8)] = False


class MetadataResponseBroker(Message):
    """One of the `brokers` of `MetadataResponse`."""

    node_id: Int32 = 0
    host: String = ""
    port: Int32 = 0
    rack: Annotated[NullableString, since(1), ignorable] = None


class MetadataResponsePartition(Message):
    """One of the `partitions` of `MetadataResponseTopic`."""

    error_code: Int16 = 0
    partition_index: Int32 = 0
    leader_id: Int32 = 0
    leader_epoch: Annotated[Int32, since(7), ignorable] = -1
    replica_nodes: list[Int32] = []
    isr_nodes: list[Int32] = []
    offline_replicas: Annotated[list[Int32], since(5), ignorable] = []


class MetadataResponseTopic(Message):
    """One of the `topics` of `MetadataResponse`."""

    error_code: Int16 = 0
    name: Annotated[NullableString, nullable_since(12)] = ""
    topic_id: Annotated[Uuid, since(10), ignorable] = ZERO_UUID
    is_internal: Annotated[Bool, since(1), ignorable] = False
    partitions: list[MetadataResponsePartition] = []
    topic_authorized_operations: Annotated[Int32, since(8)] = -2147483648


class MetadataResponse(Top):
    """The cluster as one broker knows it."""

    TABLE: ClassVar[Table] = Table("response", key=3, versions=(0, 13), flexible=9)

    throttle_time_ms: Annotated[Int32, since(3), ignorable] = 0
    brokers: list[MetadataResponseBroker] = []
    cluster_id: Annotated[NullableString, since(2), ignorable] = None
    controller_id: Annotated[Int32, since(1), ignorable] = -1
    topics: list[MetadataResponseTopic] = []
    cluster_authorized_operations: Annotated[Int32, between(8, 10)] = -2147483648
    error_code: Annotated[Int16, since(13), ignorable] = 0
