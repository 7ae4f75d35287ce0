"""StreamsGroupDescribe (API 89). Streams groups, with topology, members and tasks."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Bool, Int16, Int32, Int64, Message, NullableString, String, Table, Top, Uint16, Value


class StreamsGroupDescribeRequest(Top):
    """Which groups."""

    TABLE: ClassVar[Table] = Table("request", key=89)

    group_ids: list[String] = []
    include_authorized_operations: Bool = False


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


class Subtopology(Message):
    """One of the `subtopologies` of `Topology`."""

    subtopology_id: String = ""
    source_topics: list[String] = []
    repartition_sink_topics: list[String] = []
    state_changelog_topics: list[TopicInfo] = []
    repartition_source_topics: list[TopicInfo] = []


class Topology(Message):
    """The `topology` of `DescribedGroup`."""

    epoch: Int32 = 0
    subtopologies: list[Subtopology] | None = None


class Endpoint(Message):
    """The `user_endpoint` of `Member`."""

    host: String = ""
    port: Uint16 = 0


class TaskOffset(Message):
    """One of the `task_offsets` of `Member`."""

    subtopology_id: String = ""
    partition: Int32 = 0
    offset: Int64 = 0


class TaskIds(Message):
    """One of the `active_tasks` of `Assignment`."""

    subtopology_id: String = ""
    partitions: list[Int32] = []


class Assignment(Value, frozen=True):
    """The `assignment` of `Member`."""

    active_tasks: list[TaskIds] = []
    standby_tasks: list[TaskIds] = []
    warmup_tasks: list[TaskIds] = []


class Member(Message):
    """One of the `members` of `DescribedGroup`."""

    member_id: String = ""
    member_epoch: Int32 = 0
    instance_id: NullableString = None
    rack_id: NullableString = None
    client_id: String = ""
    client_host: String = ""
    topology_epoch: Int32 = 0
    process_id: String = ""
    user_endpoint: Endpoint | None = None
    client_tags: list[KeyValue] = []
    task_offsets: list[TaskOffset] = []
    task_end_offsets: list[TaskOffset] = []
    assignment: Assignment = Assignment()
    target_assignment: Assignment = Assignment()
    is_classic: Bool = False


class DescribedGroup(Message):
    """One of the `groups` of `StreamsGroupDescribeResponse`."""

    error_code: Int16 = 0
    error_message: NullableString = None
    group_id: String = ""
    group_state: String = ""
    group_epoch: Int32 = 0
    assignment_epoch: Int32 = 0
    topology: Topology | None = None
    members: list[Member] = []
    authorized_operations: Int32 = -2147483648


class StreamsGroupDescribeResponse(Top):
    """Each group."""

    TABLE: ClassVar[Table] = Table("response", key=89)

    throttle_time_ms: Int32 = 0
    groups: list[DescribedGroup] = []
