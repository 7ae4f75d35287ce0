"""What a streams group leaves in `__consumer_offsets`."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Int8, Int16, Int32, Int64, Message, NullableString, String, Table, Top, Uint16, tag


class StreamsGroupMetadataKey(Top):
    """A streams group."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=17, flexible=None)

    group_id: String = ""


class LastAssignmentConfig(Message):
    """One of the `last_assignment_configs` of `StreamsGroupMetadataValue`."""

    key: String = ""
    value: String = ""


class StreamsGroupMetadataValue(Top):
    """Its epochs."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=17)

    epoch: Int32 = 0
    metadata_hash: Int64 = 0
    validated_topology_epoch: Annotated[Int32, tag(0)] = -1
    last_assignment_configs: Annotated[list[LastAssignmentConfig] | None, tag(1)] = []


class StreamsGroupMemberMetadataKey(Top):
    """A member."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=19, flexible=None)

    group_id: String = ""
    member_id: String = ""


class Endpoint(Message):
    """The `user_endpoint` of `StreamsGroupMemberMetadataValue`."""

    host: String = ""
    port: Uint16 = 0


class KeyValue(Message):
    """One of the `client_tags` of `StreamsGroupMemberMetadataValue`."""

    key: String = ""
    value: String = ""


class StreamsGroupMemberMetadataValue(Top):
    """What the member is and can."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=19)

    instance_id: NullableString = ""
    rack_id: NullableString = ""
    client_id: String = ""
    client_host: String = ""
    rebalance_timeout_ms: Int32 = -1
    topology_epoch: Int32 = 0
    process_id: String = ""
    user_endpoint: Endpoint | None = None
    client_tags: list[KeyValue] = []


class StreamsGroupTargetAssignmentMetadataKey(Top):
    """The assignment that a group is on its way to."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=20, flexible=None)

    group_id: String = ""


class StreamsGroupTargetAssignmentMetadataValue(Top):
    """Its epoch."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=20)

    assignment_epoch: Int32 = 0
    assignment_timestamp: Annotated[Int64, tag(0)] = 0


class StreamsGroupTargetAssignmentMemberKey(Top):
    """The part of a member in it."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=21, flexible=None)

    group_id: String = ""
    member_id: String = ""


class TaskIds(Message):
    """One of the `active_tasks` of `StreamsGroupTargetAssignmentMemberValue`."""

    subtopology_id: String = ""
    partitions: list[Int32] = []


class StreamsGroupTargetAssignmentMemberValue(Top):
    """The tasks."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=21)

    active_tasks: list[TaskIds] = []
    standby_tasks: list[TaskIds] = []
    warmup_tasks: list[TaskIds] = []


class StreamsGroupCurrentMemberAssignmentKey(Top):
    """What a member has now."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=22, flexible=None)

    group_id: String = ""
    member_id: String = ""


class StreamsGroupCurrentMemberAssignmentTaskIds(Message):
    """One of the `active_tasks` of `StreamsGroupCurrentMemberAssignmentValue`."""

    subtopology_id: String = ""
    partitions: list[Int32] = []
    assignment_epochs: Annotated[list[Int32] | None, tag(0)] = []


class StreamsGroupCurrentMemberAssignmentValue(Top):
    """Its epoch and tasks."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=22)

    member_epoch: Int32 = 0
    previous_member_epoch: Int32 = 0
    state: Int8 = 0
    active_tasks: list[StreamsGroupCurrentMemberAssignmentTaskIds] = []
    standby_tasks: list[StreamsGroupCurrentMemberAssignmentTaskIds] = []
    warmup_tasks: list[StreamsGroupCurrentMemberAssignmentTaskIds] = []
    active_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentTaskIds] = []
    standby_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentTaskIds] = []
    warmup_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentTaskIds] = []


class StreamsGroupTopologyKey(Top):
    """The topology of a group."""

    TABLE: ClassVar[Table] = Table("coordinator-key", key=23, flexible=None)

    group_id: String = ""


class TopicConfig(Message):
    """One of the `topic_configs` of `TopicInfo`."""

    key: String = ""
    value: String = ""


class TopicInfo(Message):
    """One of the `state_changelog_topics` of `Subtopology`."""

    name: String = ""
    partitions: Int32 = 0
    replication_factor: Int16 = 0
    topic_configs: list[TopicConfig] = []


class CopartitionGroup(Message):
    """One of the `copartition_groups` of `Subtopology`."""

    source_topics: list[Int16] = []
    source_topic_regex: list[Int16] = []
    repartition_source_topics: list[Int16] = []


class Subtopology(Message):
    """One of the `subtopologies` of `StreamsGroupTopologyValue`."""

    subtopology_id: String = ""
    source_topics: list[String] = []
    source_topic_regex: list[String] = []
    state_changelog_topics: list[TopicInfo] = []
    repartition_sink_topics: list[String] = []
    repartition_source_topics: list[TopicInfo] = []
    copartition_groups: list[CopartitionGroup] = []


class StreamsGroupTopologyValue(Top):
    """Its subtopologies."""

    TABLE: ClassVar[Table] = Table("coordinator-value", key=23)

    epoch: Int32 = 0
    subtopologies: list[Subtopology] = []
