"""What a voter of the metadata quorum must not forget; it rests on disk as JSON."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import ZERO_UUID, Int32, Int64, Message, String, Table, Top, Uuid, since, until


class Voter(Message):
    """One of the `current_voters` of `QuorumStateData`."""

    voter_id: Int32 = 0


class QuorumStateData(Top):
    """The last vote and the last leader seen."""

    TABLE: ClassVar[Table] = Table("data", versions=(0, 1))

    cluster_id: Annotated[String, until(0)] = ""
    leader_id: Int32 = -1
    leader_epoch: Int32 = -1
    voted_id: Int32 = -1
    voted_directory_id: Annotated[Uuid, since(1)] = ZERO_UUID
    applied_offset: Annotated[Int64, until(0)] = 0
    current_voters: Annotated[list[Voter] | None, until(0)] = []
