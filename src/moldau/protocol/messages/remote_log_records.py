"""What tiered storage leaves in `__remote_log_metadata`."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Bool,
    Int8,
    Int32,
    Int64,
    Message,
    NullableBytes,
    String,
    Table,
    Top,
    Uuid,
    Value,
    tag,
)


class TopicIdPartitionEntry(Value, frozen=True):
    """The `topic_id_partition` of `RemoteLogSegmentIdEntry`."""

    name: String = ""
    id: Uuid = ZERO_UUID
    partition: Int32 = 0


class RemoteLogSegmentIdEntry(Value, frozen=True):
    """The `remote_log_segment_id` of `RemoteLogSegmentMetadataRecord`."""

    topic_id_partition: TopicIdPartitionEntry = TopicIdPartitionEntry()
    id: Uuid = ZERO_UUID


class SegmentLeaderEpochEntry(Message):
    """One of the `segment_leader_epochs` of `RemoteLogSegmentMetadataRecord`."""

    leader_epoch: Int32 = 0
    offset: Int64 = 0


class RemoteLogSegmentMetadataRecord(Top):
    """A segment is being copied."""

    TABLE: ClassVar[Table] = Table("metadata", key=0)

    remote_log_segment_id: RemoteLogSegmentIdEntry = RemoteLogSegmentIdEntry()
    start_offset: Int64 = 0
    end_offset: Int64 = 0
    broker_id: Int32 = 0
    max_timestamp_ms: Int64 = 0
    event_timestamp_ms: Int64 = 0
    segment_leader_epochs: list[SegmentLeaderEpochEntry] = []
    segment_size_in_bytes: Int32 = 0
    custom_metadata: NullableBytes = None
    remote_log_segment_state: Int8 = 0
    txn_index_empty: Annotated[Bool, tag(0)] = False


class RemoteLogSegmentMetadataUpdateRecord(Top):
    """The state of a copied segment."""

    TABLE: ClassVar[Table] = Table("metadata", key=1)

    remote_log_segment_id: RemoteLogSegmentIdEntry = RemoteLogSegmentIdEntry()
    broker_id: Int32 = 0
    event_timestamp_ms: Int64 = 0
    custom_metadata: NullableBytes = None
    remote_log_segment_state: Int8 = 0


class RemotePartitionDeleteMetadataRecord(Top):
    """The copies of a partition are being deleted."""

    TABLE: ClassVar[Table] = Table("metadata", key=2)

    topic_id_partition: TopicIdPartitionEntry = TopicIdPartitionEntry()
    broker_id: Int32 = 0
    event_timestamp_ms: Int64 = 0
    remote_partition_delete_state: Int8 = 0


class RemoteLogSegmentMetadataSnapshotRecord(Top):
    """A copied segment, in a snapshot."""

    TABLE: ClassVar[Table] = Table("metadata", key=3)

    segment_id: Uuid = ZERO_UUID
    start_offset: Int64 = 0
    end_offset: Int64 = 0
    broker_id: Int32 = 0
    max_timestamp_ms: Int64 = 0
    event_timestamp_ms: Int64 = 0
    segment_leader_epochs: list[SegmentLeaderEpochEntry] = []
    segment_size_in_bytes: Int32 = 0
    custom_metadata: NullableBytes = None
    remote_log_segment_state: Int8 = 0
    txn_index_empty: Annotated[Bool, tag(0)] = False
