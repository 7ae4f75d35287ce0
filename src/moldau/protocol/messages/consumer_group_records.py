"""What a consumer group leaves in `__consumer_offsets`."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Bytes,
    Int8,
    Int32,
    Int64,
    Message,
    NullableString,
    String,
    Table,
    Top,
    Uuid,
    Value,
    tag,
)


class ConsumerGroupMetadataKey(Top):
    """A consumer group."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=3, flexible=None)

    group_id: String = ""


class ConsumerGroupMetadataValue(Top):
    """Its epoch."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=3)

    epoch: Int32 = 0
    metadata_hash: Annotated[Int64, tag(0)] = 0


class ConsumerGroupPartitionMetadataKey(Top):
    """What a group knows of the topics it reads (no longer written)."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=4, flexible=None)

    group_id: String = ""


class PartitionMetadata(Message):
    """One of the `partition_metadata` of `TopicMetadata`."""

    partition: Int32 = 0
    racks: list[String] = []


class TopicMetadata(Message):
    """One of the `topics` of `ConsumerGroupPartitionMetadataValue`."""

    topic_id: Uuid = ZERO_UUID
    topic_name: String = ""
    num_partitions: Int32 = 0
    partition_metadata: list[PartitionMetadata] = []


class ConsumerGroupPartitionMetadataValue(Top):
    """The topics."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=4)

    topics: list[TopicMetadata] = []


class ConsumerGroupMemberMetadataKey(Top):
    """A member."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=5, flexible=None)

    group_id: String = ""
    member_id: String = ""


class ClassicProtocol(Message):
    """One of the `supported_protocols` of `ClassicMemberMetadata`."""

    name: String = ""
    metadata: Bytes = b""


class ClassicMemberMetadata(Value, frozen=True):
    """The `classic_member_metadata` of `ConsumerGroupMemberMetadataValue`."""

    session_timeout_ms: Int32 = 0
    supported_protocols: list[ClassicProtocol] = []


class ConsumerGroupMemberMetadataValue(Top):
    """What the member wants."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=5)

    instance_id: NullableString = ""
    rack_id: NullableString = ""
    client_id: String = ""
    client_host: String = ""
    subscribed_topic_names: list[String] = []
    subscribed_topic_regex: NullableString = ""
    rebalance_timeout_ms: Int32 = -1
    server_assignor: NullableString = ""
    classic_member_metadata: Annotated[ClassicMemberMetadata | None, tag(0)] = ClassicMemberMetadata()


class ConsumerGroupTargetAssignmentMetadataKey(Top):
    """The assignment that a group is on its way to."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=6, flexible=None)

    group_id: String = ""


class ConsumerGroupTargetAssignmentMetadataValue(Top):
    """Its epoch."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=6)

    assignment_epoch: Int32 = 0
    assignment_timestamp: Annotated[Int64, tag(0)] = 0


class ConsumerGroupTargetAssignmentMemberKey(Top):
    """The part of a member in it."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=7, flexible=None)

    group_id: String = ""
    member_id: String = ""


class TopicPartition(Message):
    """One of the `topic_partitions` of `ConsumerGroupTargetAssignmentMemberValue`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[Int32] = []


class ConsumerGroupTargetAssignmentMemberValue(Top):
    """The partitions."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=7)

    topic_partitions: list[TopicPartition] = []


class ConsumerGroupCurrentMemberAssignmentKey(Top):
    """What a member has now."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=8, flexible=None)

    group_id: String = ""
    member_id: String = ""


class TopicPartitions(Message):
    """One of the `assigned_partitions` of `ConsumerGroupCurrentMemberAssignmentValue`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[Int32] = []
    assignment_epochs: Annotated[list[Int32] | None, tag(0)] = []


class ConsumerGroupCurrentMemberAssignmentValue(Top):
    """Its epoch and partitions."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=8)

    member_epoch: Int32 = 0
    previous_member_epoch: Int32 = 0
    state: Int8 = 0
    assigned_partitions: list[TopicPartitions] = []
    partitions_pending_revocation: list[TopicPartitions] = []


class ConsumerGroupRegularExpressionKey(Top):
    """A pattern that a group subscribes to."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=16, flexible=None)

    group_id: String = ""
    regular_expression: String = ""


class ConsumerGroupRegularExpressionValue(Top):
    """The topics that it matched."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=16)

    topics: list[String] = []
    version: Int64 = 0
    timestamp: Int64 = 0
