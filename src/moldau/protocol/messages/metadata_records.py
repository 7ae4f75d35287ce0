"""The records of the metadata log, from which every node makes its picture of the cluster."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Bool,
    Bytes,
    Float64,
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
    Uuid,
    since,
    tag,
)


class FeatureLevelRecord(Top):
    """A feature is now at this level; 0 means off."""

    TABLE: ClassVar[Table] = Table("metadata", key=12)

    name: String = ""
    feature_level: Int16 = 0


class BrokerEndpoint(Message):
    """One of the `end_points` of `RegisterBrokerRecord`."""

    name: String = ""
    host: String = ""
    port: Uint16 = 0
    security_protocol: Int16 = 0


class BrokerFeature(Message):
    """One of the `features` of `RegisterBrokerRecord`."""

    name: String = ""
    min_supported_version: Int16 = 0
    max_supported_version: Int16 = 0


class RegisterBrokerRecord(Top):
    """A broker process has registered."""

    TABLE: ClassVar[Table] = Table("metadata", key=0, versions=(0, 4))

    broker_id: Int32 = 0
    is_migrating_zk_broker: Annotated[Bool, since(2)] = False
    incarnation_id: Uuid = ZERO_UUID
    broker_epoch: Int64 = 0
    end_points: list[BrokerEndpoint] = []
    features: list[BrokerFeature] = []
    rack: NullableString = ""
    fenced: Bool = True
    in_controlled_shutdown: Annotated[Bool, since(1)] = False
    log_dirs: Annotated[list[Uuid], since(3), tag(0)] = []
    cordoned_log_dirs: Annotated[list[Uuid] | None, since(4), tag(1)] = None


class ControllerEndpoint(Message):
    """One of the `end_points` of `RegisterControllerRecord`."""

    name: String = ""
    host: String = ""
    port: Uint16 = 0
    security_protocol: Int16 = 0


class ControllerFeature(Message):
    """One of the `features` of `RegisterControllerRecord`."""

    name: String = ""
    min_supported_version: Int16 = 0
    max_supported_version: Int16 = 0


class RegisterControllerRecord(Top):
    """A controller process has registered."""

    TABLE: ClassVar[Table] = Table("metadata", key=27)

    controller_id: Int32 = 0
    incarnation_id: Uuid = ZERO_UUID
    zk_migration_ready: Bool = False
    end_points: list[ControllerEndpoint] = []
    features: list[ControllerFeature] = []


class BrokerRegistrationChangeRecord(Top):
    """Something about a registered broker has changed."""

    TABLE: ClassVar[Table] = Table("metadata", key=17, versions=(0, 3))

    broker_id: Int32 = 0
    broker_epoch: Int64 = 0
    fenced: Annotated[Int8, tag(0)] = 0
    in_controlled_shutdown: Annotated[Int8, since(1), tag(1)] = 0
    log_dirs: Annotated[list[Uuid], since(2), tag(2)] = []
    cordoned_log_dirs: Annotated[list[Uuid] | None, since(3), tag(3)] = None


class UnregisterBrokerRecord(Top):
    """A broker is gone for good."""

    TABLE: ClassVar[Table] = Table("metadata", key=1)

    broker_id: Int32 = 0
    broker_epoch: Int64 = 0


class FenceBrokerRecord(Top):
    """A broker takes no part for now."""

    TABLE: ClassVar[Table] = Table("metadata", key=7)

    id: Int32 = 0
    epoch: Int64 = 0


class UnfenceBrokerRecord(Top):
    """A broker takes part again."""

    TABLE: ClassVar[Table] = Table("metadata", key=8)

    id: Int32 = 0
    epoch: Int64 = 0


class TopicRecord(Top):
    """A topic is there."""

    TABLE: ClassVar[Table] = Table("metadata", key=2)

    name: String = ""
    topic_id: Uuid = ZERO_UUID


class PartitionRecord(Top):
    """A partition is there, in this state."""

    TABLE: ClassVar[Table] = Table("metadata", key=3, versions=(0, 2))

    partition_id: Int32 = -1
    topic_id: Uuid = ZERO_UUID
    replicas: list[Int32] = []
    isr: list[Int32] = []
    removing_replicas: list[Int32] = []
    adding_replicas: list[Int32] = []
    leader: Int32 = -1
    leader_recovery_state: Annotated[Int8, tag(0)] = 0
    leader_epoch: Int32 = -1
    partition_epoch: Int32 = -1
    directories: Annotated[list[Uuid], since(1)] = []
    eligible_leader_replicas: Annotated[list[Int32] | None, since(2), tag(1)] = None
    last_known_elr: Annotated[list[Int32] | None, since(2), tag(2)] = None


class PartitionChangeRecord(Top):
    """What has changed of a partition; the defaults mean unchanged."""

    TABLE: ClassVar[Table] = Table("metadata", key=5, versions=(0, 2))

    partition_id: Int32 = -1
    topic_id: Uuid = ZERO_UUID
    isr: Annotated[list[Int32] | None, tag(0)] = None
    leader: Annotated[Int32, tag(1)] = -2
    replicas: Annotated[list[Int32] | None, tag(2)] = None
    removing_replicas: Annotated[list[Int32] | None, tag(3)] = None
    adding_replicas: Annotated[list[Int32] | None, tag(4)] = None
    leader_recovery_state: Annotated[Int8, tag(5)] = -1
    directories: Annotated[list[Uuid] | None, since(1), tag(8)] = None
    eligible_leader_replicas: Annotated[list[Int32] | None, since(2), tag(6)] = None
    last_known_elr: Annotated[list[Int32] | None, since(2), tag(7)] = None


class RemoveTopicRecord(Top):
    """A topic and all its partitions are gone."""

    TABLE: ClassVar[Table] = Table("metadata", key=9)

    topic_id: Uuid = ZERO_UUID


class ConfigRecord(Top):
    """A configuration is set, or unset when the value is null."""

    TABLE: ClassVar[Table] = Table("metadata", key=4)

    resource_type: Int8 = 0
    resource_name: String = ""
    name: String = ""
    value: NullableString = ""


class ProducerIdsRecord(Top):
    """Producer ids below this one have been handed out."""

    TABLE: ClassVar[Table] = Table("metadata", key=15)

    broker_id: Int32 = 0
    broker_epoch: Int64 = -1
    next_producer_id: Int64 = 0


class NoOpRecord(Top):
    """Nothing happened, and the log has moved on."""

    TABLE: ClassVar[Table] = Table("metadata", key=20)


class BeginTransactionRecord(Top):
    """The records that follow count only together."""

    TABLE: ClassVar[Table] = Table("metadata", key=23)

    name: Annotated[NullableString, tag(0)] = None


class EndTransactionRecord(Top):
    """The records since the beginning count."""

    TABLE: ClassVar[Table] = Table("metadata", key=24)


class AbortTransactionRecord(Top):
    """The records since the beginning do not count."""

    TABLE: ClassVar[Table] = Table("metadata", key=25)

    reason: Annotated[NullableString, tag(0)] = None


class AccessControlEntryRecord(Top):
    """An access rule is there."""

    TABLE: ClassVar[Table] = Table("metadata", key=18)

    id: Uuid = ZERO_UUID
    resource_type: Int8 = 0
    resource_name: String = ""
    pattern_type: Int8 = 0
    principal: String = ""
    host: String = ""
    operation: Int8 = 0
    permission_type: Int8 = 0


class RemoveAccessControlEntryRecord(Top):
    """An access rule is gone."""

    TABLE: ClassVar[Table] = Table("metadata", key=19)

    id: Uuid = ZERO_UUID


class ClearElrRecord(Top):
    """Replicas that may lead although they are not in sync are forgotten, of one topic or of all."""

    TABLE: ClassVar[Table] = Table("metadata", key=28)

    topic_name: String = ""


class EntityData(Message):
    """One of the `entity` of `ClientQuotaRecord`."""

    entity_type: String = ""
    entity_name: NullableString = ""


class ClientQuotaRecord(Top):
    """A quota is set, or removed."""

    TABLE: ClassVar[Table] = Table("metadata", key=14)

    entity: list[EntityData] = []
    key: String = ""
    value: Float64 = 0.0
    remove: Bool = False


class DelegationTokenRecord(Top):
    """A delegation token is there."""

    TABLE: ClassVar[Table] = Table("metadata", key=10)

    owner: String = ""
    requester: String = ""
    renewers: list[String] = []
    issue_timestamp: Int64 = 0
    max_timestamp: Int64 = 0
    expiration_timestamp: Int64 = 0
    token_id: String = ""


class RemoveDelegationTokenRecord(Top):
    """A delegation token is gone."""

    TABLE: ClassVar[Table] = Table("metadata", key=26)

    token_id: String = ""


class UserScramCredentialRecord(Top):
    """A user has this SCRAM credential."""

    TABLE: ClassVar[Table] = Table("metadata", key=11)

    name: String = ""
    mechanism: Int8 = 0
    salt: Bytes = b""
    stored_key: Bytes = b""
    server_key: Bytes = b""
    iterations: Int32 = 0


class RemoveUserScramCredentialRecord(Top):
    """A SCRAM credential is gone."""

    TABLE: ClassVar[Table] = Table("metadata", key=22)

    name: String = ""
    mechanism: Int8 = 0


class ZkMigrationStateRecord(Top):
    """How far the move from an older kind of controller is; written once by clusters that never had one."""

    TABLE: ClassVar[Table] = Table("metadata", key=21)

    zk_migration_state: Int8 = 0
