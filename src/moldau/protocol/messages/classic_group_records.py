"""What a classic group and its offsets leave in `__consumer_offsets`."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Bytes,
    Int32,
    Int64,
    Message,
    NullableString,
    String,
    Table,
    Top,
    Uuid,
    between,
    ignorable,
    since,
    tag,
)


class LegacyOffsetCommitKey(Top):
    """Where a group has got to in a partition, as written before the record had a version."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=0, flexible=None)

    group: String = ""
    topic: String = ""
    partition: Int32 = 0


class LegacyOffsetCommitValue(Top):
    """The offset, in its oldest form."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=0, flexible=None)

    offset: Int64 = 0
    metadata: String = ""
    commit_timestamp: Int64 = 0


class OffsetCommitKey(Top):
    """Where a group has got to in a partition."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=1, flexible=None)

    group: String = ""
    topic: String = ""
    partition: Int32 = 0


class OffsetCommitValue(Top):
    """The offset."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=1, versions=(0, 4), flexible=4)

    offset: Int64 = 0
    leader_epoch: Annotated[Int32, since(3), ignorable] = -1
    metadata: String = ""
    commit_timestamp: Int64 = 0
    expire_timestamp: Annotated[Int64, between(1, 1), ignorable] = -1
    topic_id: Annotated[Uuid, since(4), tag(0), ignorable] = ZERO_UUID


class GroupMetadataKey(Top):
    """A classic group."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=2, flexible=None)

    group: String = ""


class MemberMetadata(Message):
    """One of the `members` of `GroupMetadataValue`."""

    member_id: String = ""
    group_instance_id: Annotated[NullableString, since(3), ignorable] = None
    client_id: String = ""
    client_host: String = ""
    rebalance_timeout: Annotated[Int32, since(1), ignorable] = -1
    session_timeout: Int32 = 0
    subscription: Bytes = b""
    assignment: Bytes = b""


class GroupMetadataValue(Top):
    """Its generation and members."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=2, versions=(0, 4), flexible=4)

    protocol_type: String = ""
    generation: Int32 = 0
    protocol: NullableString = ""
    leader: NullableString = ""
    current_state_timestamp: Annotated[Int64, since(2), ignorable] = -1
    members: list[MemberMetadata] = []
