"""What members of a classic consumer group tell each other inside JoinGroup and SyncGroup."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Int32, Message, NullableBytes, NullableString, String, Table, Top, ignorable, since


class TopicPartition(Message):
    """One of the `owned_partitions` of `ConsumerProtocolSubscription`."""

    topic: String = ""
    partitions: list[Int32] = []


class ConsumerProtocolSubscription(Top):
    """What a member wants and has."""

    TABLE: ClassVar[Table] = Table("data", versions=(0, 3), flexible=None)

    topics: list[String] = []
    user_data: NullableBytes = None
    owned_partitions: Annotated[list[TopicPartition], since(1), ignorable] = []
    generation_id: Annotated[Int32, since(2), ignorable] = -1
    rack_id: Annotated[NullableString, since(3), ignorable] = None


class ConsumerProtocolAssignment(Top):
    """What a member gets."""

    TABLE: ClassVar[Table] = Table("data", versions=(0, 3), flexible=None)

    assigned_partitions: list[TopicPartition] = []
    user_data: NullableBytes = None
