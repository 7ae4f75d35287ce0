"""StreamsGroupHeartbeat (API 88). A member of a streams group says that it is alive, with its topology and tasks."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import (
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    Message,
    NullableString,
    String,
    Table,
    Top,
    Uint16,
    Value,
)


class KeyValue(Message):
    """One of the `topic_configs` of `TopicInfo`."""

    key: String = ""
    value: String = ""


class TopicInfo(Message):
    """One of the `state_changelog_topics` of `Subtopology`."""

    name: String = ""
    partitions: Int32 = 0
    replication_factor: Int16 = 0
    topic_configs: list[KeyValue] = []


class CopartitionGroup(Message):
    """One of the `copartition_groups` of `Subtopology`."""

    source_topics: list[Int16] = []
    source_topic_regex: list[Int16] = []
    repartition_source_topics: list[Int16] = []


class Subtopology(Message):
    """One of the `subtopologies` of `Topology`."""

    subtopology_id: String = ""
    source_topics: list[String] = []
    source_topic_regex: list[String] = []
    state_changelog_topics: list[TopicInfo] = []
    repartition_sink_topics: list[String] = []
    repartition_source_topics: list[TopicInfo] = []
    copartition_groups: list[CopartitionGroup] = []


class Topology(Message):
    """The `topology` of `StreamsGroupHeartbeatRequest`."""

    epoch: Int32 = 0
    subtopologies: list[Subtopology] = []


class TaskIds(Message):
    """One of the `active_tasks` of `StreamsGroupHeartbeatRequest`."""

    subtopology_id: String = ""
    partitions: list[Int32] = []


class Endpoint(Message):
    """The `user_endpoint` of `StreamsGroupHeartbeatRequest`."""

    host: String = ""
    port: Uint16 = 0


class TaskOffset(Message):
    """One of the `task_offsets` of `StreamsGroupHeartbeatRequest`."""

    subtopology_id: String = ""
    partition: Int32 = 0
    offset: Int64 = 0


class StreamsGroupHeartbeatRequest(Top):
    """Who is alive, and what has changed."""

    TABLE: ClassVar[Table] = Table("request", key=88)

    group_id: String = ""
    member_id: String = ""
    member_epoch: Int32 = 0
    endpoint_information_epoch: Int32 = 0
    instance_id: NullableString = None
    rack_id: NullableString = None
    rebalance_timeout_ms: Int32 = -1
    topology: Topology | None = None
    active_tasks: list[TaskIds] | None = None
    standby_tasks: list[TaskIds] | None = None
    warmup_tasks: list[TaskIds] | None = None
    process_id: NullableString = None
    user_endpoint: Endpoint | None = None
    client_tags: list[KeyValue] | None = None
    task_offsets: list[TaskOffset] | None = None
    task_end_offsets: list[TaskOffset] | None = None
    shutdown_application: Bool = False


class Status(Message):
    """One of the `status` of `StreamsGroupHeartbeatResponse`."""

    status_code: Int8 = 0
    status_detail: String = ""


class AnsweredEndpoint(Value, frozen=True):
    """The `user_endpoint` of `EndpointToPartitions`."""

    host: String = ""
    port: Uint16 = 0


class TopicPartition(Message):
    """One of the `active_partitions` of `EndpointToPartitions`."""

    topic: String = ""
    partitions: list[Int32] = []


class EndpointToPartitions(Message):
    """One of the `partitions_by_user_endpoint` of `StreamsGroupHeartbeatResponse`."""

    user_endpoint: AnsweredEndpoint = AnsweredEndpoint()
    active_partitions: list[TopicPartition] = []
    standby_partitions: list[TopicPartition] = []


class StreamsGroupHeartbeatResponse(Top):
    """The tasks, and what is wrong with the topology."""

    TABLE: ClassVar[Table] = Table("response", key=88)

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    error_message: NullableString = None
    member_id: String = ""
    member_epoch: Int32 = 0
    heartbeat_interval_ms: Int32 = 0
    acceptable_recovery_lag: Int32 = 0
    task_offset_interval_ms: Int32 = 0
    status: list[Status] | None = []
    active_tasks: list[TaskIds] | None = None
    standby_tasks: list[TaskIds] | None = None
    warmup_tasks: list[TaskIds] | None = None
    endpoint_information_epoch: Int32 = 0
    partitions_by_user_endpoint: list[EndpointToPartitions] | None = None
