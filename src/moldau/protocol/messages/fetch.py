"""Fetch (API 1). Record batches from topic partitions, for consumers, followers and voters.

From version 7 a session remembers the partitions; from version 12 a partition can say where logs diverge; from
version 13 a topic is named by its id.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Int8,
    Int16,
    Int32,
    Int64,
    Message,
    NullableRecords,
    NullableString,
    String,
    Table,
    Top,
    Uuid,
    Value,
    ignorable,
    since,
    tag,
    until,
)


class ReplicaState(Value, frozen=True):
    """The `replica_state` of `FetchRequest`."""

    replica_id: Int32 = -1
    replica_epoch: Int64 = -1


class FetchPartition(Message):
    """One of the `partitions` of `FetchTopic`."""

    partition: Int32 = 0
    current_leader_epoch: Annotated[Int32, since(9), ignorable] = -1
    fetch_offset: Int64 = 0
    last_fetched_epoch: Annotated[Int32, since(12)] = -1
    log_start_offset: Annotated[Int64, since(5), ignorable] = -1
    partition_max_bytes: Int32 = 0
    replica_directory_id: Annotated[Uuid, since(17), tag(0), ignorable] = ZERO_UUID
    high_watermark: Annotated[Int64, since(18), tag(1), ignorable] = 9223372036854775807


class FetchTopic(Message):
    """One of the `topics` of `FetchRequest`."""

    topic: Annotated[String, until(12), ignorable] = ""
    topic_id: Annotated[Uuid, since(13), ignorable] = ZERO_UUID
    partitions: list[FetchPartition] = []


class ForgottenTopic(Message):
    """One of the `forgotten_topics_data` of `FetchRequest`."""

    topic: Annotated[String, until(12), ignorable] = ""
    topic_id: Annotated[Uuid, since(13), ignorable] = ZERO_UUID
    partitions: list[Int32] = []


class FetchRequest(Top):
    """Where to read on."""

    TABLE: ClassVar[Table] = Table("request", key=1, versions=(4, 18), flexible=12)

    cluster_id: Annotated[NullableString, since(12), tag(0), ignorable] = None
    replica_id: Annotated[Int32, until(14)] = -1
    replica_state: Annotated[ReplicaState, since(15), tag(1)] = ReplicaState()
    max_wait_ms: Int32 = 0
    min_bytes: Int32 = 0
    max_bytes: Int32 = 0x7FFFFFFF
    isolation_level: Int8 = 0
    session_id: Annotated[Int32, since(7), ignorable] = 0
    session_epoch: Annotated[Int32, since(7), ignorable] = -1
    topics: list[FetchTopic] = []
    forgotten_topics_data: Annotated[list[ForgottenTopic], since(7)] = []
    rack_id: Annotated[String, since(11), ignorable] = ""


class EpochEndOffset(Value, frozen=True):
    """The `diverging_epoch` of `PartitionData`."""

    epoch: Int32 = -1
    end_offset: Int64 = -1


class LeaderIdAndEpoch(Value, frozen=True):
    """The `current_leader` of `PartitionData`."""

    leader_id: Int32 = -1
    leader_epoch: Int32 = -1


class SnapshotId(Value, frozen=True):
    """The `snapshot_id` of `PartitionData`."""

    end_offset: Int64 = -1
    epoch: Int32 = -1


class AbortedTransaction(Message):
    """One of the `aborted_transactions` of `PartitionData`."""

    producer_id: Int64 = 0
    first_offset: Int64 = 0


class PartitionData(Message):
    """One of the `partitions` of `FetchableTopicResponse`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0
    high_watermark: Int64 = 0
    last_stable_offset: Int64 = -1
    log_start_offset: Annotated[Int64, since(5), ignorable] = -1
    diverging_epoch: Annotated[EpochEndOffset, since(12), tag(0)] = EpochEndOffset()
    current_leader: Annotated[LeaderIdAndEpoch, since(12), tag(1)] = LeaderIdAndEpoch()
    snapshot_id: Annotated[SnapshotId, since(12), tag(2)] = SnapshotId()
    aborted_transactions: list[AbortedTransaction] | None = []
    preferred_read_replica: Annotated[Int32, since(11)] = -1
    records: NullableRecords = None


class FetchableTopicResponse(Message):
    """One of the `responses` of `FetchResponse`."""

    topic: Annotated[String, until(12), ignorable] = ""
    topic_id: Annotated[Uuid, since(13), ignorable] = ZERO_UUID
    partitions: list[PartitionData] = []


class NodeEndpoint(Message):
    """One of the `node_endpoints` of `FetchResponse`."""

    node_id: Int32 = 0
    host: String = ""
    port: Int32 = 0
    rack: NullableString = None


class FetchResponse(Top):
    """Batches, partition by partition."""

    TABLE: ClassVar[Table] = Table("response", key=1, versions=(4, 18), flexible=12)

    throttle_time_ms: Int32 = 0
    error_code: Annotated[Int16, since(7), ignorable] = 0
    session_id: Annotated[Int32, since(7)] = 0
    responses: list[FetchableTopicResponse] = []
    node_endpoints: Annotated[list[NodeEndpoint], since(16), tag(0)] = []
