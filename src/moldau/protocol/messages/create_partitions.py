"""CreatePartitions (API 37). Topics get more partitions."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Bool, Int16, Int32, Message, NullableString, String, Table, Top


class CreatePartitionsAssignment(Message):
    """One of the `assignments` of `CreatePartitionsTopic`."""

    broker_ids: list[Int32] = []


class CreatePartitionsTopic(Message):
    """One of the `topics` of `CreatePartitionsRequest`."""

    name: String = ""
    count: Int32 = 0
    assignments: list[CreatePartitionsAssignment] | None = []


class CreatePartitionsRequest(Top):
    """The topics and how many partitions they are to have."""

    TABLE: ClassVar[Table] = Table("request", key=37, versions=(0, 3), flexible=2)

    topics: list[CreatePartitionsTopic] = []
    timeout_ms: Int32 = 0
    validate_only: Bool = False


class CreatePartitionsTopicResult(Message):
    """One of the `results` of `CreatePartitionsResponse`."""

    name: String = ""
    error_code: Int16 = 0
    error_message: NullableString = None


class CreatePartitionsResponse(Top):
    """What became of each topic."""

    TABLE: ClassVar[Table] = Table("response", key=37, versions=(0, 3), flexible=2)

    throttle_time_ms: Int32 = 0
    results: list[CreatePartitionsTopicResult] = []
