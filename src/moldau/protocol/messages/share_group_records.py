"""What a share group leaves in `__consumer_offsets`."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import ZERO_UUID, Int8, Int32, Int64, Message, NullableString, String, Table, Top, Uuid, tag


class ShareGroupMetadataKey(Top):
    """A share group."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=11, flexible=None)

    group_id: String = ""


class ShareGroupMetadataValue(Top):
    """Its epoch."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=11)

    epoch: Int32 = 0
    metadata_hash: Int64 = 0


class ShareGroupMemberMetadataKey(Top):
    """A member."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=10, flexible=None)

    group_id: String = ""
    member_id: String = ""


class ShareGroupMemberMetadataValue(Top):
    """What the member wants."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=10)

    rack_id: NullableString = ""
    client_id: String = ""
    client_host: String = ""
    subscribed_topic_names: list[String] = []


class ShareGroupTargetAssignmentMetadataKey(Top):
    """The assignment of a group."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=12, flexible=None)

    group_id: String = ""


class ShareGroupTargetAssignmentMetadataValue(Top):
    """Its epoch."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=12)

    assignment_epoch: Int32 = 0
    assignment_timestamp: Annotated[Int64, tag(0)] = 0


class ShareGroupTargetAssignmentMemberKey(Top):
    """The part of a member in it."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=13, flexible=None)

    group_id: String = ""
    member_id: String = ""


class TopicPartition(Message):
    """One of the `topic_partitions` of `ShareGroupTargetAssignmentMemberValue`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[Int32] = []


class ShareGroupTargetAssignmentMemberValue(Top):
    """The partitions."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=13)

    topic_partitions: list[TopicPartition] = []


class ShareGroupCurrentMemberAssignmentKey(Top):
    """What a member has now."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=14, flexible=None)

    group_id: String = ""
    member_id: String = ""


class TopicPartitions(Message):
    """One of the `assigned_partitions` of `ShareGroupCurrentMemberAssignmentValue`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[Int32] = []


class ShareGroupCurrentMemberAssignmentValue(Top):
    """Its epoch and partitions."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=14)

    member_epoch: Int32 = 0
    previous_member_epoch: Int32 = 0
    state: Int8 = 0
    assigned_partitions: list[TopicPartitions] = []


class ShareGroupStatePartitionMetadataKey(Top):
    """Which share partitions have a state."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=15, flexible=None)

    group_id: String = ""


class TopicPartitionsInfo(Message):
    """One of the `initializing_topics` of `ShareGroupStatePartitionMetadataValue`."""

    topic_id: Uuid = ZERO_UUID
    topic_name: String = ""
    partitions: list[Int32] = []


class TopicInfo(Message):
    """One of the `deleting_topics` of `ShareGroupStatePartitionMetadataValue`."""

    topic_id: Uuid = ZERO_UUID
    topic_name: String = ""


class ShareGroupStatePartitionMetadataValue(Top):
    """The topics whose state begins, is there, or goes."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=15)

    initializing_topics: list[TopicPartitionsInfo] = []
    initialized_topics: list[TopicPartitionsInfo] = []
    deleting_topics: list[TopicInfo] = []
