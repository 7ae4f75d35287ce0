"""CreateTopics (API 19). New topics.

From version 4 partitions and replicas may be left to the broker (-1); from version 5 the answer tells the configs.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Bool,
    Int8,
    Int16,
    Int32,
    Message,
    NullableString,
    String,
    Table,
    Top,
    Uuid,
    ignorable,
    since,
    tag,
)


class CreatableReplicaAssignment(Message):
    """One of the `assignments` of `CreatableTopic`."""

    partition_index: Int32 = 0
    broker_ids: list[Int32] = []


class CreatableTopicConfig(Message):
    """One of the `configs` of `CreatableTopic`."""

    name: String = ""
    value: NullableString = ""


class CreatableTopic(Message):
    """One of the `topics` of `CreateTopicsRequest`."""

    name: String = ""
    num_partitions: Int32 = 0
    replication_factor: Int16 = 0
    assignments: list[CreatableReplicaAssignment] = []
    configs: list[CreatableTopicConfig] = []


class CreateTopicsRequest(Top):
    """The topics wanted."""

    TABLE: ClassVar[Table] = Table("request", key=19, versions=(2, 7), flexible=5)

    topics: list[CreatableTopic] = []
    timeout_ms: Int32 = 60000
    validate_only: Bool = False


class CreatableTopicConfigs(Message):
    """One of the `configs` of `CreatableTopicResult`."""

    name: String = ""
    value: NullableString = ""
    read_only: Bool = False
    config_source: Int8 = -1
    is_sensitive: Bool = False


class CreatableTopicResult(Message):
    """One of the `topics` of `CreateTopicsResponse`."""

    name: String = ""
    topic_id: Annotated[Uuid, since(7), ignorable] = ZERO_UUID
    error_code: Int16 = 0
    error_message: NullableString = ""
    topic_config_error_code: Annotated[Int16, since(5), tag(0), ignorable] = 0
    num_partitions: Annotated[Int32, since(5), ignorable] = -1
    replication_factor: Annotated[Int16, since(5), ignorable] = -1
    configs: Annotated[list[CreatableTopicConfigs] | None, since(5), ignorable] = []


class CreateTopicsResponse(Top):
    """What became of each topic."""

    TABLE: ClassVar[Table] = Table("response", key=19, versions=(2, 7), flexible=5)

    throttle_time_ms: Int32 = 0
    topics: list[CreatableTopicResult] = []
