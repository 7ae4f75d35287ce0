"""The values of the control records in the metadata log. Each begins with its own version."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import (
    ZERO_UUID,
    Int16,
    Int32,
    Int64,
    Message,
    String,
    Table,
    Top,
    Uint16,
    Uuid,
    Value,
    since,
)


class LeaderChangeMessageVoter(Message):
    """One of the `voters` of `LeaderChangeMessage`."""

    voter_id: Int32 = 0
    voter_directory_id: Annotated[Uuid, since(1)] = ZERO_UUID


class LeaderChangeMessage(Top):
    """The first record of a new leader."""

    TABLE: ClassVar[Table] = Table("data", versions=(0, 1))

    version: Int16 = 0
    leader_id: Int32 = 0
    voters: list[LeaderChangeMessageVoter] = []
    granting_voters: list[LeaderChangeMessageVoter] = []


class SnapshotHeaderRecord(Top):
    """The first record of a snapshot."""

    TABLE: ClassVar[Table] = Table("data")

    version: Int16 = 0
    last_contained_log_timestamp: Int64 = 0


class SnapshotFooterRecord(Top):
    """The last record of a snapshot."""

    TABLE: ClassVar[Table] = Table("data")

    version: Int16 = 0


class KRaftVersionRecord(Top):
    """The version of the quorum protocol in force."""

    TABLE: ClassVar[Table] = Table("data")

    version: Int16 = 0
    kraft_version: Int16 = 0


class Endpoint(Message):
    """One of the `endpoints` of `VotersRecordVoter`."""

    name: String = ""
    host: String = ""
    port: Uint16 = 0


class KRaftVersionFeature(Value, frozen=True):
    """The `kraft_version_feature` of `VotersRecordVoter`."""

    min_supported_version: Int16 = 0
    max_supported_version: Int16 = 0


class VotersRecordVoter(Message):
    """One of the `voters` of `VotersRecord`."""

    voter_id: Int32 = 0
    voter_directory_id: Uuid = ZERO_UUID
    endpoints: list[Endpoint] = []
    kraft_version_feature: KRaftVersionFeature = KRaftVersionFeature()


class VotersRecord(Top):
    """The voters in force."""

    TABLE: ClassVar[Table] = Table("data")

    version: Int16 = 0
    voters: list[VotersRecordVoter] = []
