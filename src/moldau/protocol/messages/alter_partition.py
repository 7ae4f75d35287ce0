"""AlterPartition (API 56). A leader asks the controller to change who is in sync."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import ZERO_UUID, Int8, Int16, Int32, Int64, Message, Table, Top, Uuid, since, until


class BrokerState(Message):
    """One of the `new_isr_with_epochs` of `PartitionData`."""

    broker_id: Int32 = 0
    broker_epoch: Int64 = -1


class PartitionData(Message):
    """One of the `partitions` of `TopicData`."""

    partition_index: Int32 = 0
    leader_epoch: Int32 = 0
    new_isr: Annotated[list[Int32], until(2)] = []
    new_isr_with_epochs: Annotated[list[BrokerState], since(3)] = []
    leader_recovery_state: Int8 = 0
    partition_epoch: Int32 = 0


class TopicData(Message):
    """One of the `topics` of `AlterPartitionRequest`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[PartitionData] = []


class AlterPartitionRequest(Top):
    """The partitions and their replicas in sync."""

    TABLE: ClassVar[Table] = Table("request", key=56, versions=(2, 3))

    broker_id: Int32 = 0
    broker_epoch: Int64 = -1
    topics: list[TopicData] = []


class AnsweredPartitionData(Message):
    """One of the `partitions` of `TopicData`."""

    partition_index: Int32 = 0
    error_code: Int16 = 0
    leader_id: Int32 = 0
    leader_epoch: Int32 = 0
    isr: list[Int32] = []
    leader_recovery_state: Int8 = 0
    partition_epoch: Int32 = 0


class AnsweredTopicData(Message):
    """One of the `topics` of `AlterPartitionResponse`."""

    topic_id: Uuid = ZERO_UUID
    partitions: list[AnsweredPartitionData] = []


class AlterPartitionResponse(Top):
    """What the controller made of it."""

    TABLE: ClassVar[Table] = Table("response", key=56, versions=(2, 3))

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    topics: list[AnsweredTopicData] = []
