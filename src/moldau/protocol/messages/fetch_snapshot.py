"""FetchSnapshot (API 59). A piece of a snapshot of the metadata log."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Int16,
    Int32,
    Int64,
    Message,
    NullableString,
    Records,
    String,
    Table,
    Top,
    Uint16,
    Uuid,
    Value,
    ignorable,
    since,
    tag,
)


class SnapshotId(Value, frozen=True):
    """The `snapshot_id` of `PartitionSnapshot`."""

    end_offset: Int64 = 0
    epoch: Int32 = 0


class PartitionSnapshot(Message):
    """One of the `partitions` of `TopicSnapshot`."""

    partition: Int32 = 0
    current_leader_epoch: Int32 = 0
    snapshot_id: SnapshotId = SnapshotId()
    position: Int64 = 0
    replica_directory_id: Annotated[Uuid, since(1), tag(0), ignorable] = ZERO_UUID


class TopicSnapshot(Message):
    """One of the `topics` of `FetchSnapshotRequest`."""

    name: String = ""
    partitions: list[PartitionSnapshot] = []


class FetchSnapshotRequest(Top):
    """Which snapshot and from where."""

    TABLE: ClassVar[Table] = Table("request", key=59, versions=(0, 1))

    cluster_id: Annotated[NullableString, tag(0)] = None
    replica_id: Int32 = -1
    max_bytes: Int32 = 2147483647
    topics: list[TopicSnapshot] = []


class LeaderIdAndEpoch(Value, frozen=True):
    """The `current_leader` of `PartitionSnapshot`."""

    leader_id: Int32 = 0
    leader_epoch: Int32 = 0


class AnsweredPartitionSnapshot(Message):
    """One of the `partitions` of `TopicSnapshot`."""

    index: Int32 = 0
    error_code: Int16 = 0
    snapshot_id: SnapshotId = SnapshotId()
    current_leader: Annotated[LeaderIdAndEpoch, tag(0)] = LeaderIdAndEpoch()
    size: Int64 = 0
    position: Int64 = 0
    unaligned_records: Records = b""


class AnsweredTopicSnapshot(Message):
    """One of the `topics` of `FetchSnapshotResponse`."""

    name: String = ""
    partitions: list[AnsweredPartitionSnapshot] = []


class NodeEndpoint(Message):
    """One of the `node_endpoints` of `FetchSnapshotResponse`."""

    node_id: Int32 = 0
    host: String = ""
    port: Uint16 = 0


class FetchSnapshotResponse(Top):
    """The piece."""

    TABLE: ClassVar[Table] = Table("response", key=59, versions=(0, 1))

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    topics: list[AnsweredTopicSnapshot] = []
    node_endpoints: Annotated[list[NodeEndpoint], since(1), tag(0)] = []
