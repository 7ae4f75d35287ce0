"""AlterClientQuotas (API 49). Quotas are set and unset."""

from __future__ import annotations

from typing import ClassVar

from moldau.protocol.tables import Bool, Float64, Int16, Int32, Message, NullableString, String, Table, Top


class EntityData(Message):
    """One of the `entity` of `EntryData`."""

    entity_type: String = ""
    entity_name: NullableString = ""


class OpData(Message):
    """One of the `ops` of `EntryData`."""

    key: String = ""
    value: Float64 = 0.0
    remove: Bool = False


class EntryData(Message):
    """One of the `entries` of `AlterClientQuotasRequest`."""

    entity: list[EntityData] = []
    ops: list[OpData] = []


class AlterClientQuotasRequest(Top):
    """The changes."""

    TABLE: ClassVar[Table] = Table("request", key=49, versions=(0, 1), flexible=1)

    entries: list[EntryData] = []
    validate_only: Bool = False


class AnsweredEntryData(Message):
    """One of the `entries` of `AlterClientQuotasResponse`."""

    error_code: Int16 = 0
    error_message: NullableString = ""
    entity: list[EntityData] = []


class AlterClientQuotasResponse(Top):
    """What became of each."""

    TABLE: ClassVar[Table] = Table("response", key=49, versions=(0, 1), flexible=1)

    throttle_time_ms: Int32 = 0
    entries: list[AnsweredEntryData] = []
