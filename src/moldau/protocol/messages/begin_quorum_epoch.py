"""BeginQuorumEpoch (API 53). A new leader of the metadata quorum tells the voters."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Int16,
    Int32,
    Message,
    NullableString,
    String,
    Table,
    Top,
    Uint16,
    Uuid,
    ignorable,
    since,
    tag,
)


class BeginQuorumEpochRequestPartitionData(Message):
    """One of the `partitions` of `BeginQuorumEpochRequestTopicData`."""

    partition_index: Int32 = 0
    voter_directory_id: Annotated[Uuid, since(1), ignorable] = ZERO_UUID
    leader_id: Int32 = 0
    leader_epoch: Int32 = 0


class BeginQuorumEpochRequestTopicData(Message):
    """One of the `topics` of `BeginQuorumEpochRequest`."""

    topic_name: String = ""
    partitions: list[BeginQuorumEpochRequestPartitionData] = []


class LeaderEndpoint(Message):
    """One of the `leader_endpoints` of `BeginQuorumEpochRequest`."""

    name: String = ""
    host: String = ""
    port: Uint16 = 0


class BeginQuorumEpochRequest(Top):
    """The leader and its epoch."""

    TABLE: ClassVar[Table] = Table("request", key=53, versions=(0, 1), flexible=1)

    cluster_id: NullableString = None
    voter_id: Annotated[Int32, since(1), ignorable] = -1
    topics: list[BeginQuorumEpochRequestTopicData] = []
    leader_endpoints: Annotated[list[LeaderEndpoint], since(1), ignorable] = []


class BeginQuorumEpochResponsePartitionData(Message):
    """One of the `partitions` of `BeginQuorumEpochResponseTopicData`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0
    leader_id: Int32 = 0
    leader_epoch: Int32 = 0


class BeginQuorumEpochResponseTopicData(Message):
    """One of the `topics` of `BeginQuorumEpochResponse`."""

    topic_name: String = ""
    partitions: list[BeginQuorumEpochResponsePartitionData] = []


class NodeEndpoint(Message):
    """One of the `node_endpoints` of `BeginQuorumEpochResponse`."""

    node_id: Int32 = 0
    host: String = ""
    port: Uint16 = 0


class BeginQuorumEpochResponse(Top):
    """What the voter knows."""

    TABLE: ClassVar[Table] = Table("response", key=53, versions=(0, 1), flexible=1)

    error_code: Int16 = 0
    topics: list[BeginQuorumEpochResponseTopicData] = []
    node_endpoints: Annotated[list[NodeEndpoint], since(1), tag(0)] = []
